package dev.ebb.host.admin;

import dev.ebb.host.cache.CacheStats.Amount;
import dev.ebb.host.cache.EvictedBy;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Who evicted how much. The caches count on whose account, not under which policy: what has come
 * since the last look is put down to the policy in force, so that no count ever goes back.
 */
final class EvictionAccount {

  private static final Amount NOTHING = new Amount(0, 0);

  /** An account. */
  record Holder(String policy, EvictedBy by) implements Comparable<Holder> {
    @Override
    public int compareTo(Holder other) {
      int byName = policy.compareTo(other.policy);
      return byName != 0 ? byName : by.compareTo(other.by);
    }
  }

  private final Map<EvictedBy, Amount> seen = new EnumMap<>(EvictedBy.class);
  private final Map<Holder, Amount> accounts = new TreeMap<>();

  synchronized void look(CacheTotals totals, String policy) {
    for (EvictedBy by : EvictedBy.values()) {
      Amount now = totals.evictions(by);
      Amount before = seen.getOrDefault(by, NOTHING);
      Amount more = new Amount(now.entries() - before.entries(), now.blocks() - before.blocks());
      accounts.merge(new Holder(policy, by), more, EvictionAccount::sum);
      seen.put(by, now);
    }
  }

  synchronized void forEach(BiConsumer<Holder, Amount> action) {
    accounts.forEach(action);
  }

  private static Amount sum(Amount one, Amount other) {
    return new Amount(one.entries() + other.entries(), one.blocks() + other.blocks());
  }
}
