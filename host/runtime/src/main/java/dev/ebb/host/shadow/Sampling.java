package dev.ebb.host.shadow;

/**
 * Which keys are in the sample: those whose hash is below a threshold. The sample is divided into
 * groups by the same hash, each of them a smaller sample, to tell how much chance there is in it.
 *
 * @param rate the share of all keys, above 0 and at most 1
 * @param salt an odd number: another one, another sample
 */
record Sampling(double rate, long salt) {

  static final int GROUPS = 8;

  Sampling {
    if (!(rate > 0 && rate <= 1) || (salt & 1) == 0) {
      throw new IllegalArgumentException("rate is " + rate + " and salt " + salt);
    }
  }

  long threshold() {
    return rate == 1 ? Long.MAX_VALUE : (long) (rate * 0x1p63);
  }

  /** Returns a key's place among all, 0 to 2^63. Keys are hashes already. */
  static long place(long key, long salt) {
    return (key * salt) >>> 1;
  }

  /** Which group a key of the sample is in. */
  int group(long key) {
    return (int) Math.min(GROUPS - 1, place(key, salt) / (threshold() / GROUPS));
  }

  /** Returns a capacity as large to a part of the keys as the whole is to all. */
  long scaled(long capacity, int parts) {
    return Math.max(1, Math.round(capacity * rate / parts));
  }
}
