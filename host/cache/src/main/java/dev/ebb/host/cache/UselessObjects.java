package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.ChunkParts;
import dev.ebb.host.group.ObjectGroups;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Measures how much of the memory of hybrid models no prompt can use: objects that belong to no
 * prefix that all groups can serve. A measurement goes round all slots twice, a few at a time:
 * first it marks what the prefixes need, then it counts the rest. Guarded by the cache's lock.
 */
public final class UselessObjects {

  private final BlockCache cache;
  private final Predicate<CacheEntry> reachable;

  /** A bit by group for each slot, set if a prompt can use the object. */
  private long[] usable = {};

  private int next;
  private boolean counting;

  /** What was used after this was not looked at by this measurement. */
  private long since;

  private long sum;
  private long blocks;

  /** All chunks before a reachable one are resident. */
  public UselessObjects(BlockCache cache, Predicate<CacheEntry> reachable) {
    this.cache = cache;
    this.reachable = reachable;
  }

  /** Returns the blocks that no prompt could use at the last measurement; 0 before the first. */
  public long blocks() {
    return blocks;
  }

  public void step(int slots) {
    int used = cache.slots().used();
    if (next == 0 && !counting) {
      since = cache.state().tick();
      usable = usable.length < used ? new long[used] : usable;
      Arrays.fill(usable, 0);
    }
    int end = slots < used - next ? next + slots : used;
    for (; next < end; next++) {
      CacheEntry entry = cache.at(next);
      if (entry != null && entry.parts() != null && next < usable.length) {
        look(entry);
      }
    }
    if (next >= used) {
      next = 0;
      blocks = counting ? sum : blocks;
      sum = 0;
      counting = !counting;
    }
  }

  private void look(CacheEntry entry) {
    if (!counting) {
      mark(entry);
    } else if (entry.published() && entry.createdTick() <= since) {
      ChunkParts parts = entry.parts();
      for (int group = 0; parts != null && group < parts.groups().size(); group++) {
        sum += (usable[next] >>> group & 1) == 0 ? parts.weight(group) : 0;
      }
    }
  }

  /** Looks at one object of a chunk, or at those of several groups. */
  private interface Step {
    boolean at(CacheEntry on, long mask);
  }

  /** Marks what a prompt needs that goes on after a chunk, if all of it is there. */
  private void mark(CacheEntry end) {
    if (reachable.test(end) && eachNeeded(end, UselessObjects::has)) {
      eachNeeded(end, this::mark);
    }
  }

  /** Looks at what such a prompt needs, until a step returns false. */
  private boolean eachNeeded(CacheEntry end, Step step) {
    ObjectGroups groups = requireNonNull(end.parts()).groups();
    for (int group = 0; group < groups.size(); group++) {
      CacheEntry on = end;
      for (int left = groups.window(group); left > 0 && on != null; left--, on = on.parent()) {
        if (!step.at(on, 1L << group)) {
          return false;
        }
      }
    }
    long full = groups.fullMask();
    for (CacheEntry on = end; on != null && !isMarked(on, full); on = on.parent()) {
      if (!step.at(on, full)) {
        return false;
      }
    }
    return true;
  }

  private static boolean has(CacheEntry entry, long mask) {
    @Nullable ChunkParts parts = entry.parts();
    return parts != null && (parts.present() & mask) == mask;
  }

  private boolean isMarked(CacheEntry entry, long mask) {
    return entry.slot() >= usable.length || (usable[entry.slot()] & mask) == mask;
  }

  private boolean mark(CacheEntry entry, long mask) {
    if (entry.slot() < usable.length) {
      usable[entry.slot()] |= mask;
    }
    return true;
  }
}
