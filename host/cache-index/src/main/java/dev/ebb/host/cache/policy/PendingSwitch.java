package dev.ebb.host.cache.policy;

/**
 * A policy that takes over and is not active yet, so that several caches can switch at one moment.
 * The caller begins everywhere, waits for all, then publishes under all locks, or cancels. The
 * previous policy stays active until then. Used under the owner's lock.
 */
public interface PendingSwitch {

  /**
   * Waits until the policy holds all residents and has caught up with the stream. May release the
   * owner's lock.
   *
   * @throws PolicyFault if it fails; it is dismissed then
   */
  void await();

  /** Throws the fault if the policy has failed since; it is dismissed then. */
  void check();

  /** Activates the policy, unless it has failed since, and dismisses the previous one. */
  void publish();

  /** Dismisses the policy; the previous one stays active. Does nothing if the switch is over. */
  void cancel();

  /** Returns the durations of the completed steps; 0 for the others. */
  SwitchTimes times();
}
