package dev.ebb.host.engine.state;

/**
 * The saved states of a recurrent model.
 *
 * @param held how many there are now
 * @param bytes their memory in the pool
 * @param saved how many were saved since the start
 */
public record StateStats(int held, long bytes, long saved) {

  /** Those of a model without any. */
  public static final StateStats NONE = new StateStats(0, 0, 0);
}
