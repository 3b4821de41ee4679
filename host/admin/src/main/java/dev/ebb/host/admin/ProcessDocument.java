package dev.ebb.host.admin;

import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** What a document says of any process, whatever it holds. */
public final class ProcessDocument {

  private ProcessDocument() {}

  /**
   * The process.
   *
   * @param version Ebb's
   * @param time now, ISO 8601
   * @param uptimeSeconds since the start
   * @param ready whether it takes new work
   */
  public record Server(String version, String time, double uptimeSeconds, boolean ready) {

    /**
     * This process, now.
     *
     * @param ready whether it takes new work
     * @return the part of the document
     */
    public static Server now(boolean ready) {
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
  public record Jvm(long heapUsedBytes, long heapMaxBytes, int threads) {

    /**
     * This process, now.
     *
     * @return the part of the document
     */
    public static Jvm now() {
      Runtime runtime = Runtime.getRuntime();
      return new Jvm(
          runtime.totalMemory() - runtime.freeMemory(),
          runtime.maxMemory(),
          ManagementFactory.getThreadMXBean().getThreadCount());
    }
  }
}
