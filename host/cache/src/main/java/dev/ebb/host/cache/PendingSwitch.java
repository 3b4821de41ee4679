package dev.ebb.host.cache;

/**
 * A policy on its way into force, so that several caches can exchange theirs at one moment: begin
 * everywhere, wait for all, then publish under all locks, or cancel. Until then the one before
 * serves. Used under the owner's lock.
 */
public sealed interface PendingSwitch permits InlinePendingSwitch, ThreadedPendingSwitch {

  /**
   * Waits until the policy knows all residents and has caught up with the stream. May give the
   * owner's lock up.
   *
   * @throws PolicyFault if it fails; the policy is let go
   */
  void await();

  /**
   * Whether it has failed since.
   *
   * @throws PolicyFault if it has; the policy is let go
   */
  void check();

  /**
   * Puts the policy in force, and lets the one before go.
   *
   * @throws PolicyFault if it has failed since
   */
  void publish();

  /** Lets the policy go. The one before serves on. Does nothing if it is over. */
  void cancel();

  /**
   * How long it took so far.
   *
   * @return times of what was done; 0 for what was not
   */
  SwitchTimes times();
}
