package dev.ebb.host.plugin;

/** What a scan cost, of all JARs together. */
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
   * Copying and hashing.
   *
   * @return nanoseconds
   */
  public long stageNanos() {
    return stageNanos;
  }

  /**
   * Judging manifests and contents.
   *
   * @return nanoseconds
   */
  public long verifyNanos() {
    return verifyNanos;
  }

  /**
   * Loading classes and finding providers.
   *
   * @return nanoseconds
   */
  public long loadNanos() {
    return loadNanos;
  }
}
