package dev.ebb.host.cache.policy;

/**
 * The durations of a policy switch.
 *
 * @param snapshotNanos from the copy of the list of residents until the policy knew them
 * @param catchUpNanos reading the events since then
 */
public record SwitchTimes(long snapshotNanos, long catchUpNanos, long checkNanos) {

  public static final SwitchTimes NONE = new SwitchTimes(0, 0, 0);

  /** Combines two switches at the same time: the longer time of each step. */
  public SwitchTimes longest(SwitchTimes other) {
    return new SwitchTimes(
        Math.max(snapshotNanos, other.snapshotNanos),
        Math.max(catchUpNanos, other.catchUpNanos),
        Math.max(checkNanos, other.checkNanos));
  }
}
