package dev.ebb.host.engine.stats;

import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.engine.tier.RemoteTierStats;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The counters of an engine at one moment. Counts are since the start.
 *
 * @param open false once this Ebb is closed
 * @param openSequences sequences that are neither finished nor aborted
 * @param devices one for each device, in the order in which they were opened
 * @param tenants tokens by tenant, as far as sequences name one
 * @param fairness Jain's index over the tenants' hit ratios; NaN while no tenant has a hit
 * @param offload the counters of preempted sequences that a server keeps
 * @param disk the disk tier; null without one
 * @param remote pages shared through a server; null without one
 * @param requests the requests of a scheduler; null if none uses this Ebb
 */
public record EngineStats(
    boolean open,
    long openSequences,
    List<DeviceStats> devices,
    List<Tenant> tenants,
    double fairness,
    PruningStats pruning,
    OffloadStats offload,
    @Nullable DiskTierStats disk,
    @Nullable RemoteTierStats remote,
    @Nullable RequestStats requests) {

  public EngineStats {
    devices = List.copyOf(devices);
    tenants = List.copyOf(tenants);
  }

  /** The prompts of one tenant, and the tokens whose K and V were cached. */
  public record Tenant(String name, long promptTokens, long matchedTokens) {}

  /** Returns the sum of a number over all devices. */
  public long sum(ToLongFunction<DeviceStats> number) {
    return devices.stream().mapToLong(number).sum();
  }
}
