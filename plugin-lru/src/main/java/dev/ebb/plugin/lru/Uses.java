package dev.ebb.plugin.lru;

import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyClock;

/** Describes the uses of an entry. */
final class Uses {

  private Uses() {}

  static String describe(Entry entry, PolicyClock clock) {
    return "last used %.1f s ago, %d %s"
        .formatted(
            (clock.nanos() - entry.lastAccessNanos()) / 1e9,
            entry.accesses(),
            entry.accesses() == 1 ? "use" : "uses");
  }
}
