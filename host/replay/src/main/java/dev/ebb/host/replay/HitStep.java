package dev.ebb.host.replay;

/**
 * One step of a replay.
 *
 * @param hits blocks found resident
 */
public record HitStep(long hits, long references) {

  /** Returns the hit ratio: 0 to 1, NaN if there were no references. */
  public double ratio() {
    return references == 0 ? Double.NaN : (double) hits / references;
  }
}
