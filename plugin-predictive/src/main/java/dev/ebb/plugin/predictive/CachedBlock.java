package dev.ebb.plugin.predictive;

import dev.ebb.spi.Entry;
import org.jspecify.annotations.Nullable;

/**
 * The predictive policy's record of one resident block. It is small, so that a use mostly waits for
 * one cache line.
 */
final class CachedBlock {

  private static final int MAX_USES = 255;

  final Entry entry;

  /** The block before it, if a request has shown it; the host knows the others. */
  @Nullable CachedBlock parent;

  /** Resident blocks known to follow it. */
  int children;

  /** Its cohort, or {@link Cohorts#NONE} while a request that uses it runs. */
  int cohort = Cohorts.NONE;

  int place = Leaves.ABSENT;

  /** Its place in {@link UseOrder}. */
  int turn = UseOrder.ABSENT;

  /** Its place in the chain is not known. */
  boolean unordered;

  /** It was used alone, and nothing links it to another one. */
  boolean plain;

  private byte uses;
  boolean setAside;

  CachedBlock(Entry entry, int uses) {
    this.entry = entry;
    uses(uses);
  }

  /** Returns whether it was removed. */
  boolean gone() {
    return cohort == Cohorts.GONE;
  }

  /** Uses ever, as far as remembered; stops counting at 255. */
  int uses() {
    return uses & 0xFF;
  }

  void uses(int count) {
    uses = (byte) Math.min(count, MAX_USES);
  }
}
