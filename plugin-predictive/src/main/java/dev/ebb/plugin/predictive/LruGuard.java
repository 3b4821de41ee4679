package dev.ebb.plugin.predictive;

import dev.ebb.spi.GhostList;

/**
 * Bounds the hits that the learned order may lose to the order of last use. It simulates an LRU
 * cache over a sample of the blocks, chosen by their fingerprints, and compares its hits with the
 * real ones. While the learned order is behind, or has next to nothing to gain, blocks are evicted
 * in the order of last use.
 *
 * <p>Blocks of a prompt are used deepest first, so an LRU cache never keeps a block without those
 * before it. It can thus be simulated for any sample of the blocks.
 */
final class LruGuard {

  /** The most blocks of the simulated cache; it has at least half of that if there are enough. */
  private static final int SIMULATED = 1 << 14;

  /** A loss may be chance up to so many standard deviations ... */
  private static final double DEVIATIONS = 3;

  /**
   * ... but not beyond this share of the hits that LRU lacks and that a larger cache would have.
   */
  private static final double SHARE_OF_GAIN = 0.1;

  /** After so many references per simulated block, the past shows what there is to gain. */
  private static final double EXPERIENCED = 16;

  /** Losses before so many references per simulated block are those of a cache that fills. */
  private static final int FILLED = 2;

  /** How many requests LRU is followed at first; twice as many after each further loss. */
  private static final int FIRST_PERIOD = 100;

  private final double decay;
  private final double tolerance;
  private GhostList recent = new GhostList(0);

  /** Selects what is simulated: one of two to the power of the number of its bits. */
  private long mask = -1;

  private boolean evicting;

  // References to simulated blocks since the start.
  private long seen;

  // One long prompt that returns can cost more than the bound, so a loss would be noticed too late.
  private boolean nothingToGain;

  // How many more requests LRU is followed, and how many it will be after the next loss.
  private int remaining;
  private int period = FIRST_PERIOD;

  // Since LRU was followed last, recent requests first: the hits that only the simulated cache had,
  // less those that only the real one had; and the squares of this difference in each request.
  private double behind;
  private double squares;

  // Of recent requests: known blocks that the simulated cache missed, and all blocks.
  private double gain;
  private double references;

  /**
   * Creates a guard of an empty cache.
   *
   * @param decay the weight of earlier requests after one more
   * @param tolerance the share of the recent blocks that may be lost
   */
  LruGuard(long capacityBlocks, double decay, double tolerance) {
    this.decay = decay;
    this.tolerance = tolerance;
    capacity(capacityBlocks);
  }

  void capacity(long blocks) {
    long fitting = 0;
    while (blocks / (fitting + 1) > SIMULATED) {
      fitting = 2 * fitting + 1;
    }
    if (fitting != mask) {
      mask = fitting;
      recent = new GhostList(0);
    }
    recent.resize(simulated(blocks));
  }

  /** Returns whether blocks are to be evicted in the order of last use. */
  boolean followsLru() {
    return remaining > 0 || nothingToGain;
  }

  /** Returns how many hits of recent requests LRU would have had more; negative if fewer. */
  double behind() {
    return behind * (mask + 1);
  }

  /**
   * Compares a request, whose blocks are about to be used.
   *
   * @param residents blocks in the real cache
   */
  void began(RunningRequest request, long residents) {
    long simulated = simulated(residents);
    if (evicting) {
      recent.resize(simulated);
    }
    int difference = 0;
    int missed = 0;
    int sampled = 0;
    boolean kept = true;
    for (int index = 0; index < request.blocks(); index++) {
      long fingerprint = request.fingerprint(index);
      if (isSimulated(fingerprint)) {
        kept &= recent.contains(fingerprint);
        difference += (kept ? 1 : 0) - (index < request.matched() ? 1 : 0);
        missed += !kept && index < request.known() ? 1 : 0;
        sampled++;
      }
    }
    for (int index = request.blocks() - 1; index >= 0; index--) {
      used(request.fingerprint(index));
    }
    gain = gain * decay + missed;
    references = references * decay + sampled;
    nothingToGain =
        evicting
            && tolerance < 1
            && references > EXPERIENCED * simulated
            && gain <= tolerance * references;
    seen += sampled;
    if (seen > FILLED * simulated) {
      compared(difference);
    }
  }

  private void compared(int difference) {
    if (remaining > 0) {
      remaining--;
      return;
    }
    if (nothingToGain) {
      return;
    }
    behind = behind * decay + difference;
    squares = squares * decay * decay + (double) difference * difference;
    double chance = Math.min(DEVIATIONS * Math.sqrt(squares), SHARE_OF_GAIN * gain);
    double limit = Math.max(tolerance * references, chance);
    if (behind > limit) {
      remaining = period;
      period = Math.min(2 * period, 1 << 20);
      behind = 0;
      squares = 0;
    } else if (behind < -limit) {
      period = FIRST_PERIOD;
    }
  }

  /** Records the use of a block. */
  void used(long fingerprint) {
    if (isSimulated(fingerprint)) {
      recent.add(fingerprint);
    }
  }

  /** Records that a block was removed. */
  void removed(long fingerprint, boolean forCapacity) {
    if (forCapacity) {
      evicting = true;
    } else {
      recent.remove(fingerprint);
    }
  }

  private boolean isSimulated(long fingerprint) {
    return ((fingerprint * 0x9E3779B97F4A7C15L) >>> 24 & mask) == 0;
  }

  private long simulated(long blocks) {
    return Math.max(1, blocks / (mask + 1));
  }
}
