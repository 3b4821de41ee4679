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

  /** Sets the other nodes. */
  synchronized void nodes(Set<Integer> others) {
    lost += (int) nodes.stream().filter(node -> !others.contains(node)).count();
    nodes = others;
  }

  /** Returns how many nodes left. */
  synchronized int count() {
    return lost;
  }

  /**
   * All values were checked, and their missing copies offered.
   *
   * @param before how many nodes had left when the check began
   */
  synchronized void checked(int before, long nowNanos) {
    checked = before;
    checkedNanos = nowNanos;
  }

  /**
   * Copies that were offered have arrived.
   *
   * @param oldestNanos the age of the oldest offer without an answer; 0 if there is none
   */
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
