package dev.ebb.plugin.classic;

import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.GhostList;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import dev.ebb.spi.Request;
import java.util.function.Supplier;

/** A policy that remembers evicted entries, as many as a share of the capacity. */
abstract class GhostPolicy<N extends EntryQueue.Node<N>> extends QueuedBlockPolicy<N> {

  final GhostList ghosts;
  private final double ratio;

  /**
   * Creates a policy that holds and remembers nothing.
   *
   * @param setting the name of the setting with the share
   * @param usual the default of the setting
   */
  GhostPolicy(PolicyContext context, Supplier<N> nodes, String setting, double usual) {
    super(context.capacityBlocks(), nodes);
    ratio = context.settings().number(setting, usual, 0, 10);
    ghosts = new GhostList(ghostCapacity(ratio));
  }

  @Override
  public final void ended(Request request) {
    trim(ghosts, ratio);
  }

  @Override
  public void resized(long capacityBlocks) {
    super.resized(capacityBlocks);
    ghosts.resize(ghostCapacity(ratio));
  }
}
