package dev.ebb.host.cluster.pending;

import java.util.Set;

/**
 * The nodes that left with replicas which have no successor yet: a value that had all its copies
 * has one less for each of them. Thread-safe.
 */
final class LostNodes {

  private Set<Integer> nodes = Set.of();

  /** How many nodes left, and how many of these before all values were checked, and copied. */
  private int lost;

  private int checked;
  private int restored;
  private long checkedNanos;

  synchronized void nodes(Set<Integer> others) {
    lost += (int) nodes.stream().filter(node -> !others.contains(node)).count();
    nodes = others;
  }

  synchronized int count() {
    return lost;
  }

  synchronized void checked(int before, long nowNanos) {
    checked = before;
    checkedNanos = nowNanos;
  }

  /** Copies have arrived, of which the oldest without an answer has an age, 0 without any. */
  synchronized void arrived(long nowNanos, long oldestNanos) {
    if (nowNanos - checkedNanos > oldestNanos) {
      restored = checked;
    }
  }

  /** Returns how many other nodes have a copy of each value that had so many. */
  synchronized int copies(int replicas) {
    return Math.max(0, Math.min(nodes.size(), replicas - (lost - restored)));
  }
}
