package dev.ebb.host.replay;

/**
 * A part of the course of a replay.
 *
 * @param hits blocks found resident
 * @param references blocks asked for
 */
public record HitStep(long hits, long references) {

  /**
   * Blocks found resident, of all asked for.
   *
   * @return 0 to 1, NaN if none were asked for
   */
  public double ratio() {
    return references == 0 ? Double.NaN : (double) hits / references;
  }
}
