package dev.ebb.host.cache;

import org.jspecify.annotations.Nullable;

/** A takeover by a policy on its callers' thread: told of all at once, then of every event. */
final class InlinePendingSwitch implements PendingSwitch {

  private final InlinePolicyExecutor seat;
  final PolicyConsumer<?> policy;
  private final long snapshotNanos;
  @Nullable PolicyFault failure;

  InlinePendingSwitch(InlinePolicyExecutor seat, PolicyConsumer<?> policy, long snapshotNanos) {
    this.seat = seat;
    this.policy = policy;
    this.snapshotNanos = snapshotNanos;
  }

  @Override
  public void await() {
    check();
  }

  @Override
  public void check() {
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public void publish() {
    check();
    seat.putInForce(this);
  }

  @Override
  public void cancel() {
    seat.cancel(this);
  }

  @Override
  public SwitchTimes times() {
    return new SwitchTimes(snapshotNanos, 0, 0, 0);
  }
}
