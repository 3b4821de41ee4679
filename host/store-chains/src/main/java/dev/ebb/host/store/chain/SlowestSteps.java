package dev.ebb.host.store.chain;

/**
 * The longest times that single steps of a request have taken, in nanoseconds; -1 without such a
 * step.
 *
 * @param read from requesting a value until its last byte was handed to the connection
 * @param store from the first byte of a value until it was visible
 * @param allocation to allocate memory for a value, with evictions and waits
 */
public record SlowestSteps(long read, long store, long allocation) {

  static final SlowestSteps NONE = new SlowestSteps(-1, -1, -1);

  SlowestSteps withRead(long nanos) {
    return nanos <= read ? this : new SlowestSteps(nanos, store, allocation);
  }

  SlowestSteps withStore(long nanos, long allocating) {
    return nanos <= store && allocating <= allocation
        ? this
        : new SlowestSteps(read, Math.max(nanos, store), Math.max(allocating, allocation));
  }
}
