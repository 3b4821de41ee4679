package dev.ebb.host.engine;

import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.SiteUse;
import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.engine.sequence.DevicePartition;
import dev.ebb.host.engine.sequence.Engine;
import dev.ebb.host.engine.stats.PromptTokens;
import dev.ebb.spi.PolicyClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The prefix caches of an engine, one for each device. Policies run on the callers' threads. */
final class EngineSite implements PolicySite, AutoCloseable {

  private static final long SEED = 1;

  private final Engine engine;
  private final EvictionLog log;
  private final List<PolicyPlace> places;
  private final @Nullable String name;
  private volatile EvictionLimits limits;
  private boolean closed;

  /** Creates the site; a name is that of its only place, null for the names of the devices. */
  EngineSite(Engine engine, EvictionLog log, EvictionLimits limits, @Nullable String name) {
    this.engine = engine;
    this.log = log;
    this.limits = limits;
    this.name = name;
    places = engine.partitions.stream().map(this::place).toList();
  }

  private PolicyPlace place(DevicePartition partition) {
    return new PolicyPlace(
        name(partition), engine.lock, partition.cache, partition.listeners, engine.unitBytes());
  }

  private String name(DevicePartition partition) {
    return name == null ? partition.name() : name;
  }

  @Override
  public List<PolicyPlace> places() {
    return places;
  }

  @Override
  public EvictionLimits limits() {
    return limits;
  }

  @Override
  public void limits(EvictionLimits next) {
    engine.exclusively(() -> {
      engine.partitions.forEach(partition -> partition.limits(next.threshold(), next.target()));
      limits = next;
    });
  }

  @Override
  public PolicyClock clock() {
    return System::nanoTime;
  }

  @Override
  public long seed() {
    return SEED;
  }

  @Override
  public EvictionLog evictionLog() {
    return log;
  }

  @Override
  public SiteUse use() {
    return engine.locked(() ->
        new SiteUse(
            engine.partitions.stream().map(this::placeUse).toList(),
            sum(partition -> partition.cache.evictions()) * engine.unitBytes(),
            pages(sum(partition -> partition.traffic.promptTokens)),
            sum(partition -> partition.cache.ghosts().askedAgain()),
            pages(sum(partition -> partition.traffic.promptTokens)),
            pages(sum(partition -> partition.traffic.matchedTokens)),
            engine.requests.waiting(),
            requested(partition -> partition.traffic.models),
            requested(partition -> partition.traffic.tenants)));
  }

  private SiteUse.Place placeUse(DevicePartition partition) {
    long blocks = partition.pool.blocks();
    long blockBytes = partition.layout().blockBytes();
    return new SiteUse.Place(
        name(partition), (blocks - partition.pool.freeBlocks()) * blockBytes, blocks * blockBytes);
  }

  private long sum(ToLongFunction<DevicePartition> number) {
    return engine.partitions.stream().mapToLong(number).sum();
  }

  private Map<String, Long> requested(Function<DevicePartition, PromptTokens> counts) {
    Map<String, Long> all = new HashMap<>();
    engine.partitions.forEach(partition ->
        counts
            .apply(partition)
            .prompts()
            .forEach((name, tokens) -> all.merge(name, pages(tokens), Long::sum)));
    return all;
  }

  private long pages(long tokens) {
    return tokens / engine.layout().blockTokens();
  }

  @Override
  public void close() {
    engine.exclusively(() -> {
      if (!closed) {
        closed = true;
        engine.partitions.forEach(partition -> partition.cache.close());
      }
    });
  }
}
