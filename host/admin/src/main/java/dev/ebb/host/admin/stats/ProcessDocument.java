package dev.ebb.host.admin.stats;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.ebb.host.admin.advice.Advice;
import dev.ebb.host.admin.rollout.CanaryDocument;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statistics of a process: one that serves clients' values, or one with an engine. */
@JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
public sealed interface ProcessDocument permits StatsDocument, EngineDocument {

  Server server();

  Active policy();

  Pool pool();

  /** The parts of the memory: the partitions of a server, or the devices of an engine. */
  List<? extends Partition> partitions();

  Jvm jvm();

  /** The requests since the start, for comparisons with other nodes. */
  CanaryDocument.Traffic requested();

  /** What operators should do, most important first. */
  List<Advice> advice();

  /** A part of the memory, which is filled and evicted from for itself. */
  interface Partition {

    String name();

    long capacityBytes();

    long usedBytes();

    /** Returns the share in use, 0 to 1. */
    default double occupancy() {
      return (double) usedBytes() / capacityBytes();
    }
  }

  /** The active policy: its name, the configured one, and the rule that activated it. */
  interface Active {
    /** The name of the active policy. */
    String name();

    /** The name of the configured policy. */
    String configured();

    /** The policy that {@code auto} uses now; null if {@code auto} is not active. */
    @Nullable String chosen();

    /** The rule that activated the policy; null if none did. */
    default @Nullable String rule() {
      return null;
    }
  }

  /**
   * The process.
   *
   * @param time now, ISO 8601
   */
  record Server(String version, String time, double uptimeSeconds, boolean ready) {

    static Server now(boolean ready) {
      String version = ProcessDocument.class.getPackage().getImplementationVersion();
      return new Server(
          version == null ? "development" : version,
          Instant.now().truncatedTo(ChronoUnit.MILLIS).toString(),
          ManagementFactory.getRuntimeMXBean().getUptime() / 1e3,
          ready);
    }
  }

  /** The JVM heap. */
  record Jvm(long heapUsedBytes, long heapMaxBytes, int threads) {

    static Jvm now() {
      Runtime runtime = Runtime.getRuntime();
      return new Jvm(
          runtime.totalMemory() - runtime.freeMemory(),
          runtime.maxMemory(),
          ManagementFactory.getThreadMXBean().getThreadCount());
    }
  }

  /**
   * The memory.
   *
   * @param usedBytes charged to values
   * @param threshold occupancy above which background eviction starts
   * @param target occupancy at which it stops
   * @param onDemand whether it only evicts when a request needs memory, whatever the threshold
   */
  record Pool(
      long capacityBytes,
      long usedBytes,
      double occupancy,
      double threshold,
      double target,
      boolean onDemand) {}
}
