package dev.ebb.host.admin;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The statistics of a process: one that serves clients' values, or one with an engine. */
@JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
public sealed interface ProcessDocument permits StatsDocument, EngineDocument {

  /** The process. */
  Server server();

  /** The active policy. */
  Active policy();

  /** The memory. */
  Pool pool();

  /** The heap beside the pool. */
  Jvm jvm();

  /** The active policy: its name, the configured one, and the rule that activated it. */
  interface Active {
    /** The name of the active policy. */
    String name();

    /** The name of the configured policy. */
    String configured();

    /** The rule that activated the policy; null if none did. */
    default @Nullable String rule() {
      return null;
    }
  }

  /**
   * The process.
   *
   * @param version Ebb's
   * @param time now, ISO 8601
   * @param uptimeSeconds since the start
   * @param ready whether it takes new work
   */
  record Server(String version, String time, double uptimeSeconds, boolean ready) {

    /**
     * This process, now.
     *
     * @param ready whether it takes new work
     * @return the part of the document
     */
    static Server now(boolean ready) {
      String version = ProcessDocument.class.getPackage().getImplementationVersion();
      return new Server(
          version == null ? "development" : version,
          Instant.now().truncatedTo(ChronoUnit.MILLIS).toString(),
          ManagementFactory.getRuntimeMXBean().getUptime() / 1e3,
          ready);
    }
  }

  /**
   * The heap beside the pool.
   *
   * @param heapUsedBytes in use, garbage included
   * @param heapMaxBytes what it may grow to
   * @param threads platform threads
   */
  record Jvm(long heapUsedBytes, long heapMaxBytes, int threads) {

    /**
     * This process, now.
     *
     * @return the part of the document
     */
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
   * @param capacityBytes in all
   * @param usedBytes charged to values
   * @param occupancy the share in use
   * @param threshold above which eviction starts in the background
   * @param target at which it stops
   */
  record Pool(
      long capacityBytes, long usedBytes, double occupancy, double threshold, double target) {}
}
