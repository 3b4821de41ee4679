package dev.ebb.host.shadow;

/**
 * Selects the sampled keys: those whose hash is below a threshold. The same hash divides the sample
 * into groups, which are used to estimate the sampling error.
 *
 * @param rate the share of all keys, above 0 and at most 1
 * @param salt an odd number: it selects the sample
 */
record Sampling(double rate, long salt) {

  static final int GROUPS = 8;

  Sampling {
    if (!(rate > 0 && rate <= 1) || (salt & 1) == 0) {
      throw new IllegalArgumentException("rate is " + rate + " and salt " + salt);
    }
  }

  /** Returns a smaller or larger sample: of two, one contains the other. */
  Sampling at(double other) {
    return new Sampling(other, salt);
  }

  long threshold() {
    return rate == 1 ? Long.MAX_VALUE : (long) (rate * 0x1p63);
  }

  boolean isIn(long key) {
    return place(key, salt) < threshold();
  }

  /** Returns the hash of a key, 0 to 2^63. Keys are hashes already. */
  static long place(long key, long salt) {
    return (key * salt) >>> 1;
  }

  int group(long key) {
    return (int) Math.min(GROUPS - 1, place(key, salt) / (threshold() / GROUPS));
  }

  /** Returns a capacity scaled to the share of keys in a group or sample. */
  long scaled(long capacity, int parts) {
    return Math.max(1, Math.round(capacity * rate / parts));
  }
}
