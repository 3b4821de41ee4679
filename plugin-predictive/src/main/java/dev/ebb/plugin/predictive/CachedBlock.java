package dev.ebb.plugin.predictive;

import dev.ebb.spi.Entry;
import org.jspecify.annotations.Nullable;

/** What the predictive policy keeps for one resident block. */
final class CachedBlock {

  private static final int MAX_USES = 255;

  final Entry entry;

  /** The block before it, where a request has shown it; the host knows the others. */
  @Nullable CachedBlock parent;

  /** Resident blocks known to follow it. */
  int children;

  /** Its cohort, or {@link Cohorts#NONE} while a request that uses it runs. */
  int cohort = Cohorts.NONE;

  /** Its place among the leaves, or {@link Leaves#ABSENT}. */
  int place = Leaves.ABSENT;

  private byte uses;
  boolean setAside;
  boolean gone;

  CachedBlock(Entry entry, int uses) {
    this.entry = entry;
    uses(uses);
  }

  /** Uses ever, as far as remembered; stops counting at 255. */
  int uses() {
    return uses & 0xFF;
  }

  void uses(int count) {
    uses = (byte) Math.min(count, MAX_USES);
  }
}
