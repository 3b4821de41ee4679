package dev.ebb.host.cache;

/** A takeover by a policy on a thread of its own, which stands by once it knows all. */
final class ThreadedPendingSwitch implements PendingSwitch {

  private final PolicySwitch succession;
  private final PolicyThread thread;

  ThreadedPendingSwitch(PolicySwitch succession, PolicyThread thread) {
    this.succession = succession;
    this.thread = thread;
  }

  @Override
  public void await() {
    succession.awaitReady(thread);
  }

  @Override
  public void check() {
    if (thread.failure != null) {
      throw thread.failure;
    }
    if (succession.isClosed()) {
      throw new IllegalStateException("the cache is closed");
    }
  }

  @Override
  public void publish() {
    check();
    succession.putInForce(thread);
  }

  @Override
  public void cancel() {
    succession.cancel(thread);
  }

  @Override
  public SwitchTimes times() {
    return thread.times();
  }
}
