package dev.ebb.host.shadow;

import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.RequestFacts;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects the resident entries from which a shadow policy starts. */
final class Seeds {

  private Seeds() {}

  /**
   * A sampled entry of the live cache.
   *
   * @param depth its depth in the live cache
   * @param tick when it was used last
   * @param before the key of the sampled entry before it in its chain; null if there is none
   */
  record Resident(
      long key, int blocks, RequestFacts facts, int depth, long tick, @Nullable Long before) {}

  /** Returns the sampled residents of a partition by key. */
  static Map<Long, Resident> of(PolicyPlace place, Sampling sampling) {
    Map<Long, Resident> residents = new HashMap<>();
    place.residents(entry -> {
      if (sampling.isIn(entry.fingerprint())) {
        residents.put(entry.fingerprint(), resident(entry, sampling));
      }
    });
    return residents;
  }

  private static Resident resident(CacheEntry entry, Sampling sampling) {
    CacheEntry before = entry.parent();
    while (before != null && !sampling.isIn(before.fingerprint())) {
      before = before.parent();
    }
    return new Resident(
        entry.fingerprint(),
        entry.blocks(),
        entry.lastUse(),
        entry.depth(),
        entry.lastAccessTick(),
        before == null ? null : before.fingerprint());
  }
}
