package dev.ebb.host.engine;

import dev.ebb.host.admin.Histograms;
import dev.ebb.host.cache.Histogram;
import dev.ebb.host.metrics.Metric;
import dev.ebb.host.metrics.MetricSink;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Counts what token policies did. Behind a lock of its own, so that it can be read while a policy
 * takes its time.
 */
final class TokenMetrics {

  /** Why what a policy was to choose did not leave. */
  enum Failure {
    FAULT,
    MISSING_SIGNAL,
    NO_ROOM;

    private String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  private final Map<String, Account> accounts = new LinkedHashMap<>();
  private final Map<Failure, Long> failures = new EnumMap<>(Failure.class);
  private final Map<Failure, Long> fallbacks = new EnumMap<>(Failure.class);
  private final Histogram nanos = new Histogram();
  private long evictions;
  private long replaced;

  /** What one policy did. */
  private static final class Account {
    private long passes;
    private long kept;
    private long dropped;
    private long freedBytes;
  }

  /** Says which policies there are, so that they are counted from 0 on. */
  synchronized void offered(Iterable<String> policies, long replacedOnes) {
    policies.forEach(this::account);
    replaced = replacedOnes;
  }

  private Account account(String policy) {
    return accounts.computeIfAbsent(policy, name -> new Account());
  }

  synchronized void passed(String policy, PruneResult result, boolean evicted, long nanoseconds) {
    Account account = account(policy);
    account.passes++;
    account.kept += result.length();
    account.dropped += result.droppedTokens();
    account.freedBytes += Math.max(0, result.freedBytes());
    evictions += evicted ? 1 : 0;
    nanos.add(nanoseconds);
  }

  synchronized void failed(Failure reason) {
    failures.merge(reason, 1L, Long::sum);
  }

  synchronized void fellBack(Failure reason) {
    fallbacks.merge(reason, 1L, Long::sum);
  }

  synchronized TokenCounters counters() {
    long dropped = 0;
    long freed = 0;
    for (Account account : accounts.values()) {
      dropped += account.dropped;
      freed += account.freedBytes;
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

  /** A policy whose signals the engine never hands over was replaced once and for all. */
  private long fallbacks(Failure reason) {
    return fallbacks.getOrDefault(reason, 0L) + (reason == Failure.MISSING_SIGNAL ? replaced : 0);
  }

  synchronized void write(MetricSink sink) {
    accounts.forEach((policy, account) -> {
      sink.count(Metric.TOKEN_PASSES, account.passes, policy);
      sink.count(Metric.TOKENS_KEPT, account.kept, policy);
      sink.count(Metric.TOKENS_DROPPED, account.dropped, policy);
      sink.count(Metric.TOKEN_FREED_BYTES, account.freedBytes, policy);
    });
    for (Failure reason : Failure.values()) {
      sink.count(Metric.TOKEN_FAILURES, failures(reason), reason.label());
      if (reason != Failure.NO_ROOM) {
        sink.count(Metric.TOKEN_FALLBACKS, fallbacks(reason), reason.label());
      }
    }
    sink.put(Metric.TOKEN_PASS_SECONDS, Histograms.latencies(List.of(nanos)));
  }
}
