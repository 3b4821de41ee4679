package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenView;

/**
 * Random scores: the baseline that a scorer must beat. A token's score follows from the seed,
 * layer, KV head and index alone, so that a run can be repeated. The same ends stay as with other
 * policies, so that what differs is the score.
 */
final class RandomPolicy extends EndsPolicy {

  private static final int PRECISION = 24;

  private final long seed;

  RandomPolicy(Ends ends, long seed) {
    super(ends, Granularity.KV_HEAD);
    this.seed = seed;
  }

  @Override
  public void score(TokenView view, int layer, float[] out) {
    long layerSeed = mix(seed + layer);
    for (int head = 0; head < view.kvHeads(); head++) {
      long headSeed = mix(layerSeed + head);
      for (int i = 0; i < view.length(); i++) {
        out[head * view.length() + i] =
            (mix(headSeed + i) >>> (Long.SIZE - PRECISION)) / (float) (1 << PRECISION);
      }
    }
  }

  /**
   * Returns Steele, Lea and Flood's finaliser of SplitMix, which makes neighbours unlike each
   * other.
   */
  private static long mix(long value) {
    long z = value * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
