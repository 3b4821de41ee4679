package dev.ebb.host.rules;

import dev.ebb.host.config.RuleConfig;
import dev.ebb.host.config.RuleSignal;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.StoreStats;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.store.UseStats;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What rules watch of a store that serves clients: as of now, or of the last ten seconds. */
final class StoreReadings implements Readings {

  private static final long WINDOW = Duration.ofSeconds(10).toNanos();

  /** A share of fewer tells nothing. */
  private static final long FEW = 100;

  private final ObjectStore store;
  private final MemoryMonitor memory;
  private final TimeSource time;
  private final Deque<Sample> samples = new ArrayDeque<>();

  private record Sample(
      long nanos, StoreStats store, Map<String, Long> models, Map<String, Long> tenants) {

    long asked() {
      return store.hits() + store.misses();
    }

    Map<String, Long> uses(RuleSignal when) {
      return when == RuleSignal.MODEL_SHARE ? models : tenants;
    }
  }

  StoreReadings(ObjectStore store, MemoryMonitor memory, TimeSource time) {
    this.store = store;
    this.memory = memory;
    this.time = time;
  }

  @Override
  public void take(List<RuleConfig> rules) {
    Sample now =
        new Sample(time.nanos(), store.stats(), uses(store.models()), uses(store.tenants()));
    samples.addLast(now);
    while (now.nanos() - samples.getFirst().nanos() > WINDOW) {
      samples.removeFirst();
    }
  }

  private static Map<String, Long> uses(List<UseStats> stats) {
    return stats.stream()
        .collect(Collectors.toMap(UseStats::name, each -> each.hits() + each.misses()));
  }

  @Override
  public double of(RuleConfig rule) {
    Sample now = samples.getLast();
    Sample before = samples.getFirst();
    long asked = now.asked() - before.asked();
    return switch (rule.when()) {
      case OCCUPANCY -> rule.of() == null ? occupancy(now.store()) : occupancy(rule.of());
      case AVAILABLE_MEMORY -> memory.availableBytes();
      case TURNOVER -> turnover(now, before);
      case REGRETS ->
          share(now.store().regrets().count() - before.store().regrets().count(), asked);
      case MODEL_SHARE, TENANT_SHARE -> share(uses(now, rule) - uses(before, rule), asked);
    };
  }

  private static long uses(Sample sample, RuleConfig rule) {
    return sample.uses(rule.when()).getOrDefault(String.valueOf(rule.of()), 0L);
  }

  /** Of one part of the pool; not known if there is no such part. */
  private double occupancy(String part) {
    return store.partitions().stream()
        .filter(each -> each.name().equals(part))
        .mapToDouble(each -> occupancy(each.numbers()))
        .findFirst()
        .orElse(Double.NaN);
  }

  private static double occupancy(StoreStats stats) {
    return (double) stats.usedBytes() / stats.capacityBytes();
  }

  private static double share(long part, long all) {
    return all < FEW ? Double.NaN : (double) part / all;
  }

  private static double turnover(Sample now, Sample before) {
    double seconds = (now.nanos() - before.nanos()) / 1e9;
    long evicted = now.store().evictedBytes() - before.store().evictedBytes();
    return seconds == 0 ? Double.NaN : seconds * now.store().capacityBytes() / evicted;
  }
}
