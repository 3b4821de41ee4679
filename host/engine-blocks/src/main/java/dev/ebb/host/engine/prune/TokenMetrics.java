package dev.ebb.host.engine.prune;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.engine.stats.PruningStats;
import dev.ebb.host.engine.stats.TokenCounters;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The counters of token policies. Behind a lock of its own, so that they can be read while a policy
 * runs.
 */
public final class TokenMetrics {

  /** The reason why a policy's choice was not dropped. */
  public enum Failure {
    FAULT,
    MISSING_SIGNAL,
    NO_ROOM
  }

  private final Map<String, PolicyTotals> totals = new LinkedHashMap<>();
  private final Map<Failure, Long> failures = new EnumMap<>(Failure.class);
  private final Map<Failure, Long> fallbacks = new EnumMap<>(Failure.class);
  private final Histogram nanos = new Histogram();
  private long evictions;
  private long replaced;

  /** What one policy did. */
  private static final class PolicyTotals {
    private long passes;
    private long kept;
    private long dropped;
    private long freedBytes;

    private PruningStats.Policy stats(String policy) {
      return new PruningStats.Policy(policy, passes, kept, dropped, freedBytes);
    }
  }

  /** Sets the policies, so that they are counted from 0 on. */
  public synchronized void offered(Iterable<String> policies, long replacedOnes) {
    policies.forEach(this::totalsOf);
    replaced = replacedOnes;
  }

  private PolicyTotals totalsOf(String policy) {
    return totals.computeIfAbsent(policy, name -> new PolicyTotals());
  }

  public synchronized void passed(
      String policy, PruneResult result, boolean evicted, long nanoseconds) {
    PolicyTotals sums = totalsOf(policy);
    sums.passes++;
    sums.kept += result.length();
    sums.dropped += result.droppedTokens();
    sums.freedBytes += Math.max(0, result.freedBytes());
    evictions += evicted ? 1 : 0;
    nanos.add(nanoseconds);
  }

  public synchronized void failed(Failure reason) {
    failures.merge(reason, 1L, Long::sum);
  }

  public synchronized void fellBack(Failure reason) {
    fallbacks.merge(reason, 1L, Long::sum);
  }

  public synchronized TokenCounters counters() {
    long dropped = 0;
    long freed = 0;
    for (PolicyTotals sums : totals.values()) {
      dropped += sums.dropped;
      freed += sums.freedBytes;
    }
    return new TokenCounters(
        evictions,
        dropped,
        freed,
        failures(Failure.FAULT),
        failures(Failure.MISSING_SIGNAL),
        fallbacks(Failure.FAULT) + fallbacks(Failure.MISSING_SIGNAL),
        failures(Failure.NO_ROOM));
  }

  private long failures(Failure reason) {
    return failures.getOrDefault(reason, 0L);
  }

  /** Counts a policy that was replaced for good, because the engine never provides its signals. */
  private long fallbacks(Failure reason) {
    return fallbacks.getOrDefault(reason, 0L) + (reason == Failure.MISSING_SIGNAL ? replaced : 0);
  }

  public synchronized PruningStats stats() {
    return new PruningStats(
        counters(),
        totals.entrySet().stream().map(each -> each.getValue().stats(each.getKey())).toList(),
        fallbacks(Failure.FAULT),
        fallbacks(Failure.MISSING_SIGNAL),
        nanos.copy());
  }
}
