package dev.ebb.host.cache.index;

import dev.ebb.spi.NodeList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rule that a request does not evict entries of higher priority while others can be evicted.
 *
 * <p>An entry is protected at the highest priority at which it was used lately. The protection ends
 * five to ten minutes after the last use at this priority, so that an unused entry does not stay
 * for ever. No more than 80 % of the capacity is protected, so that requests of low priority always
 * find room.
 *
 * <p>A victim that is refused because it is protected is set aside. The policy gets it back when a
 * request may evict it: one before each victim, in the order in which they were refused, so that
 * they are evicted before hotter entries. Each refusal is thus paid for by a victim, a use or the
 * end of a protection.
 */
final class ProtectedEntries {

  /** The level of an entry that is not published. */
  static final byte NO_LEVEL = -1;

  /** The level that may evict everything. */
  static final int ALL = 32;

  /** Priorities outside the levels have the lowest or the highest level. */
  static final int LOWEST_PRIORITY = -16;

  static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** The share of the capacity that is protected at most. */
  static final double MOST = 0.8;

  /** An entry that has been set aside. */
  static final class Aside extends NodeList.Node<Aside> {

    private final CacheEntry entry;

    private Aside(CacheEntry entry) {
      this.entry = entry;
    }
  }

  private final CacheState state;

  /** The blocks of each level that were last used at it in the current and the previous period. */
  private final long[][] blocks = new long[2][ALL];

  /** The entries set aside, the first one cold, by the level that they had then. */
  private List<NodeList<Aside>> aside = lists();

  /** The entries whose protection may have ended since they were set aside. */
  private NodeList<Aside> stale = new NodeList<>();

  private long asideCount;
  private @Nullable CacheEntry lastResort;
  private int period;

  ProtectedEntries(CacheState state) {
    this.state = state;
    period = periodOf(state.clock.nanos());
  }

  private static List<NodeList<Aside>> lists() {
    return IntStream.range(0, ALL).mapToObj(level -> new NodeList<Aside>()).toList();
  }

  static int level(int priority) {
    return Math.clamp((long) priority - LOWEST_PRIORITY, 0, ALL - 1);
  }

  private static int periodOf(long nanos) {
    return (int) Math.floorDiv(nanos, PERIOD_NANOS);
  }

  /** Ends the protections that are over. */
  void advance(long now) {
    int next = periodOf(now);
    if (next <= period) {
      return;
    }
    Arrays.fill(blocks[next & 1], 0);
    if (next > period + 1) {
      Arrays.fill(blocks[~next & 1], 0);
    }
    period = next;
    for (NodeList<Aside> list : aside) {
      for (Aside first = list.cold(); first != null; first = list.cold()) {
        list.remove(first);
        stale.addHot(first);
      }
    }
  }

  /** Records that an entry was published or used with its current attributes. */
  void used(CacheEntry entry, long now) {
    advance(now);
    byte level = (byte) level(entry.lastUse.priority());
    if (isLive(entry) && entry.level > level) {
      return;
    }
    if (entry.level != level || entry.period != period) {
      count(entry, -entry.blocks);
      entry.level = level;
      entry.period = period;
      count(entry, entry.blocks);
    }
  }

  private boolean isLive(CacheEntry entry) {
    return entry.level != NO_LEVEL && entry.period >= period - 1;
  }

  /** Records that the blocks of an entry are more or less. */
  void count(CacheEntry entry, long more) {
    if (isLive(entry)) {
      blocks[entry.period & 1][entry.level] += more;
    }
  }

  /** Returns whether requests of a level may not evict an entry while they find another one. */
  boolean protects(CacheEntry entry, int level) {
    return entry.level > level && isLive(entry) && !exceedsMost(level);
  }

  /** Returns whether so many entries are of higher levels that no more of them is protected. */
  private boolean exceedsMost(int level) {
    long higher = 0;
    for (int each = level + 1; each < ALL; each++) {
      higher += blocks[0][each] + blocks[1][each];
    }
    return higher > (long) (MOST * state.capacity());
  }

  long asideCount() {
    return asideCount;
  }

  /** Sets an evictable entry aside. */
  void setAside(CacheEntry entry) {
    forget(entry);
    asideCount++;
    if (entry.aside == null) {
      entry.aside = new Aside(entry);
    }
    aside.get(entry.level).addHot(entry.aside);
  }

  /** Takes an entry out of the lists, because it is pinned, has a child or is removed. */
  void forget(CacheEntry entry) {
    Aside node = entry.aside;
    NodeList<Aside> list = node == null ? null : node.list();
    if (node != null && list != null) {
      // An entry that was set aside for a previous policy is in a list that no longer counts.
      asideCount -= entry.asideOf == state.activeId ? 1 : 0;
      list.remove(node);
    }
  }

  /** Forgets what was set aside for the previous policy: the next one knows nothing of it. */
  void forgetAll() {
    aside = lists();
    stale = new NodeList<>();
    asideCount = 0;
  }

  /** Returns the entry that was set aside first, of those that a level may evict, if any. */
  @Nullable CacheEntry firstFor(int level) {
    if (asideCount == 0) {
      return null;
    }
    Aside first = stale.cold();
    int end = first == null && level < ALL && exceedsMost(level) ? ALL : Math.min(level + 1, ALL);
    for (int each = 0; each < end && first == null; each++) {
      first = aside.get(each).cold();
    }
    return first == null ? null : first.entry;
  }

  /**
   * Sets the entry that is evicted because all are protected: until a victim is asked for again.
   */
  void lastResort(@Nullable CacheEntry entry) {
    lastResort = entry;
  }

  boolean isLastResort(CacheEntry entry) {
    return entry == lastResort;
  }
}
