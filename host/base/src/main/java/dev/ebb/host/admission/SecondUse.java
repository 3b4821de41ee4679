package dev.ebb.host.admission;

/** Admits values that were used after they were stored, or were evicted before. Thread-safe. */
final class SecondUse implements WriteAdmission {

  private final UseHistory history = new UseHistory();

  @Override
  public synchronized boolean admits(EvictedUse value) {
    boolean admitted = value.uses() > 1 || history.uses(value.key()) > 0;
    history.add(value.key(), -1, value.uses());
    return admitted;
  }
}
