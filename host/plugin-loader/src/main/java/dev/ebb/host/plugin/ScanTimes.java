package dev.ebb.host.plugin;

/** The cost of a scan, for all JARs together. */
public final class ScanTimes {

  private long stageNanos;
  private long verifyNanos;
  private long loadNanos;

  ScanTimes() {}

  void staged(long start) {
    stageNanos += System.nanoTime() - start;
  }

  void verified(long start) {
    verifyNanos += System.nanoTime() - start;
  }

  void loaded(long start) {
    loadNanos += System.nanoTime() - start;
  }

  /**
   * Returns the time for copying and hashing.
   *
   * @return nanoseconds
   */
  public long stageNanos() {
    return stageNanos;
  }

  /**
   * Returns the time for judging manifests and contents.
   *
   * @return nanoseconds
   */
  public long verifyNanos() {
    return verifyNanos;
  }

  /**
   * Returns the time for loading classes and finding providers.
   *
   * @return nanoseconds
   */
  public long loadNanos() {
    return loadNanos;
  }
}
