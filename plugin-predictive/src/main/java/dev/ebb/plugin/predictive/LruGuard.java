package dev.ebb.plugin.predictive;

import dev.ebb.spi.GhostList;

/**
 * Bounds the hits that the learned order may lose to the order of last use. Both have a miniature
 * cache of the same sample of the blocks, chosen by their fingerprints (C. Waldspurger et al.,
 * "Cache Modeling and Optimization using Miniature Simulations", USENIX ATC 2017). While the
 * learned one is behind, or the real cache is, blocks are evicted in the order of last use. Both
 * see every request, so the order that is not followed is not judged by what the other one has
 * evicted.
 *
 * <p>Blocks of a prompt are used deepest first, so an LRU cache never keeps a block without those
 * before it. It can thus be simulated for any sample of the blocks.
 */
final class LruGuard {

  /** The most blocks of a simulated cache; it has at least half of that if there are enough. */
  private static final int SIMULATED = 1 << 11;

  /** A loss may be chance up to so many standard deviations ... */
  private static final double DEVIATIONS = 2.5;

  /**
   * ... but not beyond this share of the hits that LRU lacks and that a larger cache would have,
   * nor beyond as many as the cache has blocks: where it holds less than a prompt, one request
   * decides about all of them, and few deviations are many hits.
   */
  private static final double SHARE_OF_GAIN = 0.05;

  /** The learned order is followed again if it is ahead by so many deviations. */
  private static final double PROVEN = 0.5;

  /** LRU is followed from the start if it hits more than this share of the blocks ... */
  private static final double MANY_HITS = 0.75;

  /** ... as long as it lacks less than this share: there is more to lose than to gain. */
  private static final double LITTLE_GAIN = 0.005;

  /** Losses before so many references per simulated block are those of a cache that fills. */
  private static final int FILLED = 2;

  /** After how many requests a hit weighs half. */
  private static final double HALF_LIFE = 1000;

  private static final double DECAY = Math.pow(0.5, 1 / HALF_LIFE);

  /** How much of what is missing of the allowance returns with each request. */
  private static final double RECOVERY = 1 - Math.pow(0.5, 0.1 / HALF_LIFE);

  private final IndexCache indices;
  private final PredictiveSettings settings;
  private final SampledChain chain = new SampledChain();
  private SimulatedCache learned;
  private GhostList recent = new GhostList(GhostList.MAX_CAPACITY);

  /** Selects what is simulated: one of two to the power of the number of its bits. */
  private long mask;

  /** The size of each cache. */
  private long room;

  private boolean evicting;

  /** How many of the blocks of the request were known, and how many resident. */
  private int known;

  private int hits;

  // References to simulated blocks since the start.
  private long seen;

  // Of recent requests: the hits that only the LRU cache had, less those that only the other one
  // had; the squares of this difference in each request; and all blocks.
  private double behind;
  private double squares;

  // Of recent requests: known blocks that the LRU cache missed, its hits, and all blocks.
  private double gain;
  private double lruHits;
  private double references;

  // Of recent requests: the hits that the LRU cache had more than the real one, now and, as far as
  // they have not been made up for, when the learned order was followed again.
  private double lost;
  private double lostBefore;

  /** The share of a tolerable loss that may be lost; halved each time LRU is no longer followed. */
  private double allowance = 1;

  /** Whether the learned order has not been followed since the first eviction. */
  private boolean untried = true;

  private boolean followsLru;

  /** Creates a guard of an empty cache, which evicts by the given indices. */
  LruGuard(IndexCache indices, PredictiveSettings settings, long capacityBlocks) {
    this.indices = indices;
    this.settings = settings;
    learned = new SimulatedCache(indices, settings.samples());
    capacity(capacityBlocks);
  }

  void capacity(long blocks) {
    long fitting = 0;
    while (blocks / (fitting + 1) > SIMULATED) {
      fitting = 2 * fitting + 1;
    }
    if (fitting != mask) {
      mask = fitting;
      recent = new GhostList(GhostList.MAX_CAPACITY);
      learned = new SimulatedCache(indices, settings.samples());
    }
    room = simulated(blocks);
  }

  /** Returns whether blocks are to be evicted in the order of last use. */
  boolean followsLru() {
    return followsLru;
  }

  /** Returns how many hits of recent requests LRU would have had more; negative if fewer. */
  double behind() {
    return behind * (mask + 1);
  }

  /** Starts the end of a request. */
  void ending(RunningRequest request) {
    chain.clear(request.hintBefore());
    known = 0;
    hits = 0;
  }

  /**
   * Adds a block of the request that ends, the deepest first.
   *
   * @param wasKnown whether it was resident or a ghost when the request began
   * @param wasHit whether it was resident
   */
  void add(long fingerprint, int blockClass, boolean wasKnown, boolean wasHit) {
    if (isSimulated(fingerprint)) {
      chain.add(fingerprint, blockClass);
      known += wasKnown ? 1 : 0;
      hits += wasHit ? 1 : 0;
    }
  }

  /**
   * Compares the orders by the request whose blocks were added.
   *
   * @param residents blocks in the real cache
   */
  void ended(long residents, long now) {
    int blocks = chain.size();
    if (blocks == 0) {
      return;
    }
    if (evicting) {
      room = simulated(residents);
    }
    double admits = settings.admission() ? PredictivePolicy.REJECTED_BELOW : 0;
    int kept = serveRecent();
    int difference = kept - learned.serve(chain, room, admits, now);
    seen += blocks;
    gain = gain * DECAY + Math.max(0, known - kept);
    lruHits = lruHits * DECAY + kept;
    references = references * DECAY + blocks;
    if (untried) {
      followsLru = lruHits > MANY_HITS * references && gain < LITTLE_GAIN * references;
      untried = followsLru || !evicting;
    }
    if (seen > FILLED * room) {
      behind = behind * DECAY + difference;
      squares = squares * DECAY * DECAY + (double) difference * difference;
      lost = lost * DECAY + kept - hits;
      choose();
    }
    followsLru &= settings.tolerance() < 1;
  }

  private int serveRecent() {
    int kept = 0;
    while (kept < chain.size() && recent.contains(chain.fingerprint(kept))) {
      kept++;
    }
    for (int index = chain.size() - 1; index >= 0; index--) {
      use(chain.fingerprint(index));
    }
    return kept;
  }

  private void choose() {
    double deviation = Math.sqrt(squares);
    double most = Math.min(SHARE_OF_GAIN * gain, (double) room);
    double chance = Math.min(DEVIATIONS * deviation, most);
    double limit = Math.max(settings.tolerance() * references, chance);
    allowance += (1 - allowance) * RECOVERY;
    if (!followsLru) {
      followsLru = behind > limit || lost - lostBefore > allowance * limit;
    } else if (behind < -Math.max(limit, PROVEN * deviation)) {
      followsLru = false;
      untried = false;
      lostBefore = Math.max(lost, 0);
      allowance /= 2;
    }
    lostBefore = Math.min(lostBefore * DECAY, Math.max(lost, 0));
  }

  /** Records the use of a block outside of a request. */
  void used(long fingerprint, int blockClass, long now) {
    if (isSimulated(fingerprint)) {
      use(fingerprint);
      learned.use(fingerprint, blockClass, room, now);
    }
  }

  private void use(long fingerprint) {
    recent.add(fingerprint);
    while (recent.size() > room) {
      recent.removeOldest();
    }
  }

  /** Records that a block was removed. */
  void removed(long fingerprint, boolean forCapacity) {
    if (forCapacity) {
      evicting = true;
    } else if (isSimulated(fingerprint)) {
      recent.remove(fingerprint);
      learned.remove(fingerprint);
    }
  }

  private boolean isSimulated(long fingerprint) {
    return ((fingerprint * 0x9E3779B97F4A7C15L) >>> 24 & mask) == 0;
  }

  private long simulated(long blocks) {
    return Math.max(1, blocks / (mask + 1));
  }
}
