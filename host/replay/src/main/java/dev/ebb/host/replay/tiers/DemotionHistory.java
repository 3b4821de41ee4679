package dev.ebb.host.replay.tiers;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Remembers the last demotions by key, until the key is requested again. */
final class DemotionHistory {

  private final Map<Long, Demotion> byKey = new LinkedHashMap<>();
  private final long length;

  /**
   * Creates an empty history.
   *
   * @param length how many are remembered
   */
  DemotionHistory(long length) {
    this.length = length;
  }

  /** Adds the last demotion of a key, and forgets the oldest one if there are too many. */
  void add(long key, Demotion demotion) {
    byKey.remove(key);
    byKey.put(key, demotion);
    if (byKey.size() > length) {
      byKey.remove(byKey.keySet().iterator().next());
    }
  }

  /** Removes the demotion of a key; returns null if none is remembered. */
  @Nullable Demotion take(long key) {
    return byKey.remove(key);
  }
}
