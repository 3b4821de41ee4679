package dev.ebb.plugin.classic;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.GhostList;
import dev.ebb.spi.Origin;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.SpareNodes;
import org.jspecify.annotations.Nullable;

/**
 * The common part of the policies: nodes, sizes, and entries that are set aside.
 *
 * <p>Papers state sizes in pages. Here they are entries: the number of entries of the current mean
 * size that fit into the capacity.
 */
abstract class ClassicPolicy implements BlockPolicy<CachedNode> {

  private final SpareNodes<CachedNode> spares = new SpareNodes<>();
  private long capacityBlocks;
  private long heldBlocks;
  private long held;

  ClassicPolicy(long capacityBlocks) {
    this.capacityBlocks = capacityBlocks;
  }

  /** Puts a new node into the policy's order. */
  abstract void enter(CachedNode node);

  /** Returns the node to evict next, or null. */
  abstract @Nullable CachedNode coldest();

  /** Describes a node's position in the order. */
  abstract String describe(CachedNode node);

  /** Reports that an entry is about to leave, because its space is needed. */
  void evicted(CachedNode node) {}

  /** Removes a node from the order. */
  void leave(CachedNode node) {
    node.queue.remove(node);
  }

  /** Takes a node, which was just set aside, out of the order. */
  void hide(CachedNode node) {
    node.queue.hide(node);
  }

  /** Puts a node, which is no longer set aside, back into the order. */
  void show(CachedNode node) {
    node.queue.show(node);
  }

  @Override
  public final CachedNode inserted(Entry entry) {
    CachedNode node = spares.take();
    if (node == null) {
      node = new CachedNode();
    }
    node.renew(entry);
    held++;
    heldBlocks += node.blocks;
    enter(node);
    return node;
  }

  @Override
  public final @Nullable Entry victim(Demand demand) {
    CachedNode node = coldest();
    return node == null ? null : node.entry;
  }

  @Override
  public final void removed(CachedNode node, RemovalCause cause) {
    if (cause.forCapacity()) {
      evicted(node);
    }
    leave(node);
    held--;
    heldBlocks -= node.blocks;
    node.forget();
    spares.give(node);
  }

  @Override
  public final void refused(CachedNode node) {
    node.aside = true;
    hide(node);
  }

  @Override
  public final void released(CachedNode node) {
    node.aside = false;
    show(node);
  }

  @Override
  public final long size() {
    return held;
  }

  @Override
  public void resized(long capacityBlocks) {
    this.capacityBlocks = capacityBlocks;
  }

  @Override
  public final String explain(CachedNode node) {
    return describe(node) + node.asideText();
  }

  /** Returns how many entries of the current mean size fit, at least 1. */
  final long capacity() {
    return held == 0
        ? capacityBlocks
        : Math.max(1, Math.round(capacityBlocks / ((double) heldBlocks / held)));
  }

  /**
   * Returns how often an entry was used again before this policy took over. A new entry may have
   * been used again too, as calls come in batches, but then {@link #accessed} follows.
   */
  static int usesBefore(Entry entry) {
    return entry.origin() == Origin.HANDED_OVER ? entry.accesses() - 1 : 0;
  }

  /**
   * Returns the size of a list that remembers a share of the capacity. It has extra space for the
   * ghosts that one request adds, because lists are trimmed when a request ends.
   */
  final long ghostBound(double ratio) {
    return Math.min(
        GhostList.MAX_CAPACITY, (long) Math.ceil(ratio * (double) capacityBlocks * 1.25) + 1);
  }

  /** Forgets the oldest ghosts beyond a share of the capacity. */
  final void trim(GhostList ghosts, double ratio) {
    long limit = (long) (ratio * (double) capacity());
    while (ghosts.size() > limit) {
      ghosts.removeOldest();
    }
  }
}
