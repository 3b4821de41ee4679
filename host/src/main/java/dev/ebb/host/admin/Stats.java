package dev.ebb.host.admin;

import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.http.Json;
import dev.ebb.host.objects.StoreStats;
import dev.ebb.host.resp.RespStats;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Fills in the document. */
final class Stats {

  private final Served served;

  Stats(Served served) {
    this.served = served;
  }

  StatsDocument document() {
    StoreStats store = served.store().stats();
    RespStats resp = served.resp().stats();
    EvictionConfig eviction = served.config().config().eviction();
    return new StatsDocument(
        new StatsDocument.Server(
            version(),
            Instant.now().truncatedTo(ChronoUnit.MILLIS).toString(),
            ManagementFactory.getRuntimeMXBean().getUptime() / 1e3,
            resp.accepting()),
        new StatsDocument.Policy(store.policy(), eviction.policy().name()),
        new StatsDocument.Pool(
            store.capacityBytes(),
            store.usedBytes(),
            (double) store.usedBytes() / store.capacityBytes(),
            eviction.threshold(),
            eviction.target()),
        new StatsDocument.Keys(store.keys(), store.expiring()),
        new StatsDocument.Traffic(
            store.hits(),
            store.misses(),
            Json.known((double) store.hits() / (store.hits() + store.misses())),
            store.stored(),
            store.evicted(),
            store.expired(),
            store.notAdmitted()),
        new StatsDocument.Clients(resp.connections(), resp.connectionsEver(), resp.commands()),
        jvm());
  }

  private static StatsDocument.Jvm jvm() {
    Runtime runtime = Runtime.getRuntime();
    return new StatsDocument.Jvm(
        runtime.totalMemory() - runtime.freeMemory(),
        runtime.maxMemory(),
        ManagementFactory.getThreadMXBean().getThreadCount());
  }

  private static String version() {
    String version = Stats.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
