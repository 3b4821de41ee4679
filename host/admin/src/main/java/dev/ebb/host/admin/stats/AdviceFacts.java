package dev.ebb.host.admin.stats;

import dev.ebb.host.admin.advice.Advice.Kind;
import dev.ebb.host.admin.advice.Facts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.stats.PolicyThreadStats;
import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.disk.DiskOutage;
import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.engine.stats.DeviceStats;
import dev.ebb.host.engine.stats.EngineStats;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.text.Format;
import dev.ebb.host.tier.DiskStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what advice is decided on. */
public final class AdviceFacts {

  private AdviceFacts() {}

  /** Returns the facts of a process that serves clients. */
  public static Facts of(ServerContext served) {
    PolicyRuntime runtime = served.runtime();
    StoreStats store = served.store().stats();
    CacheTotals caches = CacheTotals.of(served);
    boolean chunks = store.chains().lookups() > 0;
    List<Facts.Problem> problems = problems(runtime, caches);
    DiskStore disk = served.disk();
    disk(disk == null ? null : disk.outage(), problems);
    cluster(served, problems);
    // A policy that decides on admission rejects values on purpose.
    boolean onPurpose = runtime.site().admission() != null;
    return new Facts(
        Instant.now(),
        new Facts.Unit(chunks ? "chunks" : "values", 1),
        chunks ? store.chains().lookups() : store.hits() + store.misses(),
        Math.max(
            chunks ? store.chains().hitsElsewhere() : 0,
            store.sources().disk() + store.sources().nodes()),
        store.evicted(),
        store.prematureEvictions().count(),
        store.stored(),
        onPurpose ? 0 : store.notAdmitted(),
        heap(),
        runtime.shadows().report(),
        runtime.curve().report(),
        problems);
  }

  /** Returns the facts of an engine whose cached blocks hold {@code blockTokens} tokens. */
  public static Facts of(EngineStats engine, PolicyRuntime runtime, int blockTokens) {
    List<Facts.Problem> problems = problems(runtime, CacheTotals.of(engine));
    DiskTierStats disk = engine.disk();
    disk(disk == null ? null : disk.outage(), problems);
    return new Facts(
        Instant.now(),
        new Facts.Unit("tokens", blockTokens),
        engine.sum(device -> device.traffic().promptTokens()),
        engine.sum(device -> device.traffic().diskTokens() + device.traffic().remoteTokens()),
        engine.sum(DeviceStats::evictedEntries),
        engine.sum(DeviceStats::prematureEvictions),
        0,
        0,
        heap(),
        runtime.shadows().report(),
        runtime.curve().report(),
        problems);
  }

  private static List<Facts.Problem> problems(PolicyRuntime runtime, CacheTotals caches) {
    List<Facts.Problem> problems = new ArrayList<>();
    if (runtime.policy().equals(BuiltInLru.NAME)) {
      String text =
          "'%s' is active because the chosen policy failed or its JAR was removed; see 'ebb policy show'"
              .formatted(BuiltInLru.NAME);
      problems.add(new Facts.Problem(Kind.POLICY_FAILED, text, null));
    }
    long stuck = caches.threads(PolicyThreadStats::abandoned);
    if (stuck > 0) {
      String text =
          "%s of a policy did not return, and their threads are lost; see the log"
              .formatted(Format.count(stuck, "call", "calls"));
      problems.add(new Facts.Problem(Kind.POLICY_STUCK, text, null));
    }
    return problems;
  }

  private static void disk(@Nullable DiskOutage outage, List<Facts.Problem> problems) {
    if (outage != null) {
      problems.add(
          new Facts.Problem(
              Kind.DISK_OUT_OF_USE,
              "the disk tier is out of use, and memory serves on; see 'ebb tiers'",
              Instant.ofEpochMilli(outage.since())));
    }
  }

  private static void cluster(ServerContext served, List<Facts.Problem> problems) {
    ClusterView cluster = served.cluster();
    boolean hasSeeds = !served.host().config().cluster().seeds().isEmpty();
    if (cluster != null && hasSeeds && cluster.nodes().size() == 1) {
      String text =
          "no other node of the cluster '%s' can be reached; see 'ebb cluster nodes'"
              .formatted(cluster.name());
      problems.add(new Facts.Problem(Kind.CLUSTER_ALONE, text, null));
    }
  }

  private static double heap() {
    Runtime jvm = Runtime.getRuntime();
    return (double) (jvm.totalMemory() - jvm.freeMemory()) / jvm.maxMemory();
  }
}
