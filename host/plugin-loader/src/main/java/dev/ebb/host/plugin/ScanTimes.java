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

  /** Returns the nanoseconds for copying and hashing. */
  public long stageNanos() {
    return stageNanos;
  }

  /** Returns the nanoseconds for checking manifests and contents. */
  public long verifyNanos() {
    return verifyNanos;
  }

  /** Returns the nanoseconds for loading classes and finding providers. */
  public long loadNanos() {
    return loadNanos;
  }
}
