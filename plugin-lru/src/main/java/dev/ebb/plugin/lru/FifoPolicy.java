package dev.ebb.plugin.lru;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * First in, first out, the baseline of L. A. Belady, <a href="https://doi.org/10.1147/sj.52.0078">A
 * study of replacement algorithms for a virtual-storage computer</a> (IBM Systems Journal 1966):
 * evicts the entry inserted first, used or not.
 *
 * <p>Residents handed over by another policy keep the order in which they are handed over. The
 * score is the tick of insertion.
 */
class FifoPolicy extends QueuedBlockPolicy<FifoPolicy.Node> {

  final EntryQueue<Node> queue = new EntryQueue<>("queue");
  private final PolicyClock clock;

  FifoPolicy(PolicyContext context) {
    super(context.capacityBlocks(), Node::new);
    clock = context.clock();
  }

  static final class Node extends EntryQueue.Node<Node> {}

  @Override
  protected final void insert(Node node) {
    queue.moveToHot(node);
  }

  @Override
  public void accessed(Node node) {}

  @Override
  protected final @Nullable Node choose(Demand demand) {
    return queue.coldest();
  }

  @Override
  public double score(Node node) {
    return node.entry().createdTick();
  }

  @Override
  protected final String describe(Node node) {
    return Uses.describe(node.entry(), clock);
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("set-aside", (double) setAsideCount());
  }
}
