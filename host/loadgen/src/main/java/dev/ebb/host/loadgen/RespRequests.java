package dev.ebb.host.loadgen;

import java.util.SplittableRandom;

/** The next requests: first every key once, if wanted, then at random. */
final class RespRequests {

  private final BenchLoad load;
  private final KeySequence keys;
  private final SplittableRandom random;
  private int filled;
  private boolean get;

  RespRequests(BenchLoad load, KeySequence keys) {
    this.load = load;
    this.keys = keys;
    random = new SplittableRandom(load.seed());
  }

  boolean filling() {
    return filled < load.fillKeys();
  }

  long next() {
    if (filling()) {
      get = false;
      return filled++;
    }
    double share = load.getShare();
    get = share == 1 || (share > 0 && random.nextDouble() < share);
    return keys.next();
  }

  /** Returns whether the last result of {@link #next} is a GET; otherwise it is a SET. */
  boolean get() {
    return get;
  }
}
