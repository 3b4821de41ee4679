package dev.ebb.host.scheduler;

/** A memory that is never full. */
class UnlimitedMemory implements SchedulerMemory<Integer> {
  @Override
  public long capacityTokens() {
    return Long.MAX_VALUE;
  }

  @Override
  public int admit(ScheduledRequest<Integer> request) {
    return 0;
  }

  @Override
  public boolean grow(ScheduledRequest<Integer> request) {
    return true;
  }

  @Override
  public void release(ScheduledRequest<Integer> request) {}

  @Override
  public long shortage(ScheduledRequest<Integer> request) {
    return 0;
  }

  @Override
  public long held(ScheduledRequest<Integer> request) {
    return 0;
  }
}
