package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.policy.PendingSwitch;
import dev.ebb.host.cache.policy.SwitchTimes;

/** A switch to a policy on its own thread, which becomes ready once it knows all events. */
final class ThreadedPendingSwitch implements PendingSwitch {

  private final PolicySwitch policySwitch;
  private final PolicyThread thread;

  ThreadedPendingSwitch(PolicySwitch policySwitch, PolicyThread thread) {
    this.policySwitch = policySwitch;
    this.thread = thread;
  }

  @Override
  public void await() {
    policySwitch.awaitReady(thread);
  }

  @Override
  public void check() {
    if (thread.failure != null) {
      throw thread.failure;
    }
    if (policySwitch.isClosed()) {
      throw new IllegalStateException("the cache is closed");
    }
  }

  @Override
  public void publish() {
    check();
    policySwitch.activate(thread);
  }

  @Override
  public void cancel() {
    policySwitch.cancel(thread);
  }

  @Override
  public SwitchTimes times() {
    return thread.times();
  }
}
