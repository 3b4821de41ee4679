package dev.ebb.plugin.llm;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.SpareNodes;
import org.jspecify.annotations.Nullable;

/**
 * The common part of the policies: each has some queues in the order of use. A use decides the
 * queue of an entry, and the policy the queue that gives the next victim.
 */
abstract class QueuedPolicy implements BlockPolicy<CachedNode> {

  private final SpareNodes<CachedNode> spares = new SpareNodes<>();
  private long held;

  /** Returns the queue of an entry that is being inserted or used. */
  abstract EntryQueue queueFor(CachedNode node);

  /** Returns the node to evict next, or null. */
  abstract @Nullable CachedNode coldest();

  /** Describes the state of an entry. */
  abstract String describe(CachedNode node);

  /** Learns from a use, before the queue is chosen. */
  void used(CachedNode node) {}

  /** Learns from an eviction. */
  void evicted(CachedNode node) {}

  @Override
  public final CachedNode inserted(Entry entry) {
    CachedNode node = spares.take();
    if (node == null) {
      node = new CachedNode();
    }
    node.renew(entry);
    held++;
    queueFor(node).add(node);
    return node;
  }

  @Override
  public final void accessed(CachedNode node) {
    used(node);
    queueFor(node).use(node);
    node.lastNanos = node.entry.lastAccessNanos();
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
    node.queue.remove(node);
    held--;
    node.forget();
    spares.give(node);
  }

  @Override
  public final void refused(CachedNode node) {
    node.aside = true;
    node.queue.hide(node);
  }

  @Override
  public final void released(CachedNode node) {
    node.aside = false;
    node.queue.show(node);
  }

  @Override
  public final long size() {
    return held;
  }

  @Override
  public final String explain(CachedNode node) {
    return describe(node) + (node.aside ? "; set aside, because it cannot leave now" : "");
  }
}
