package dev.ebb.host.admin;

import dev.ebb.host.admin.stats.ServerContext;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.engine.EngineStats;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.tier.DiskStore;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a process can be used. It names nothing of clients, because no token is needed to see it.
 *
 * @param status {@code live}, {@code ready}, {@code starting}, {@code draining} or {@code damaged}
 * @param reasons why the process is not ready
 * @param warnings what operators should know although it is ready
 */
public record HealthDocument(String status, List<String> reasons, List<String> warnings) {

  static final HealthDocument LIVE = new HealthDocument("live", List.of(), List.of());

  static final HealthDocument STARTING =
      new HealthDocument("starting", List.of("Ebb has not started yet"), List.of());

  static final HealthDocument DRAINING =
      new HealthDocument("draining", List.of("Ebb stops and accepts no new clients"), List.of());

  private static final String DISK_OUT_OF_USE =
      "the disk tier is out of use, and memory serves on; see 'ebb tiers'";

  public HealthDocument {
    reasons = List.copyOf(reasons);
    warnings = List.copyOf(warnings);
  }

  private static HealthDocument damaged(String damage) {
    return new HealthDocument(
        "damaged",
        List.of(
            "the records of the cache are damaged: %s; start the process again, without the plugin that changed them"
                .formatted(damage)),
        List.of());
  }

  private static HealthDocument ready(List<String> warnings) {
    return new HealthDocument("ready", List.of(), warnings);
  }

  boolean isReady() {
    return reasons.isEmpty();
  }

  /** Returns the health of a process that serves clients. */
  static HealthDocument of(ServerContext served) {
    if (!served.resp().stats().accepting()) {
      return DRAINING;
    }
    String damage = served.runtime().damage();
    if (damage != null) {
      return damaged(damage);
    }
    List<String> warnings = new ArrayList<>(warnings(served.runtime()));
    ClusterView cluster = served.cluster();
    boolean hasSeeds = !served.host().config().cluster().seeds().isEmpty();
    if (cluster != null && hasSeeds && cluster.nodes().size() == 1) {
      warnings.add(
          "no other node of the cluster '%s' can be reached; see 'ebb cluster nodes'"
              .formatted(cluster.name()));
    }
    DiskStore disk = served.disk();
    if (disk != null && disk.outage() != null) {
      warnings.add(DISK_OUT_OF_USE);
    }
    return ready(warnings);
  }

  /** Returns the health of an engine that is open or closed. */
  static HealthDocument of(EngineStats engine, PolicyRuntime runtime) {
    String damage = runtime.damage();
    if (damage != null) {
      return damaged(damage);
    }
    List<String> warnings = new ArrayList<>(warnings(runtime));
    DiskTierStats disk = engine.disk();
    if (disk != null && disk.outage() != null) {
      warnings.add(DISK_OUT_OF_USE);
    }
    return engine.open() ? ready(warnings) : DRAINING;
  }

  private static List<String> warnings(PolicyRuntime runtime) {
    return runtime.policy().equals(BuiltInLru.NAME)
        ? List.of(
            "'%s' is active because the chosen policy failed or its JAR was removed; see 'ebb policy show'"
                .formatted(BuiltInLru.NAME))
        : List.of();
  }
}
