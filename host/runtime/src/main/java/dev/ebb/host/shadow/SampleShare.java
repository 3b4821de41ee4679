package dev.ebb.host.shadow;

import static dev.ebb.host.shadow.Sampling.GROUPS;

import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.shadow.AccessBatch.Kind;
import java.util.Arrays;

/**
 * The share of the traffic that a sample of whole prompts has. Prompts differ so much that it may
 * be far from the rate of the sample, and a simulated cache of another share would be too large or
 * too small for its traffic. It is measured by what the live cache missed: that fills a cache. The
 * chunks that are in each sample have their memory in each simulated cache.
 */
final class SampleShare {

  /** The rate of the sample counts as much as so many missed blocks. */
  private static final double PRIOR = 2_000;

  /** Another capacity has to differ by this share. */
  private static final double RESIZE = 0.02;

  private final Sampling sampling;
  private final long live;
  private final long[] sampled = new long[GROUPS];
  private final long[] capacities = new long[GROUPS + 1];
  private long missed;
  private int chunkWeight;
  private long shared;

  /** Creates a share that is the rate. */
  SampleShare(Sampling sampling, long live) {
    this.sampling = sampling;
    this.live = live;
    Arrays.fill(capacities, sampling.scaled(live, GROUPS));
    capacities[GROUPS] = sampling.scaled(live, 1);
  }

  /** Counts a batch; returns whether there are whole prompts and other capacities fit better. */
  boolean add(AccessBatch batch) {
    if (sampling.rate() == 1) {
      return false;
    }
    missed += batch.accesses - batch.hits;
    boolean whole = false;
    int header = 0;
    int end = -1;
    for (int row = 0; row < batch.size(); row++) {
      if (batch.kind(row) == Kind.REQUEST) {
        header = row;
        end = row + (int) batch.blocks(row);
        SizedGroups groups = batch.request(row).groups();
        whole = groups != null;
        chunkWeight = groups == null ? chunkWeight : Math.max(chunkWeight, groups.full());
      } else if (batch.kind(row) == Kind.MISS) {
        long key = batch.key(whole && row <= end ? header : row);
        if (sampling.isIn(key)) {
          sampled[sampling.group(key)]++;
        }
      }
    }
    shared = Math.min(live / 2, (long) batch.sharedChunks * chunkWeight);
    return chunkWeight > 0 && isOff();
  }

  private boolean isOff() {
    boolean off = isOff(GROUPS, Arrays.stream(sampled).sum(), 1);
    for (int group = 0; group < GROUPS; group++) {
      off |= isOff(group, sampled[group], GROUPS);
    }
    return off;
  }

  private boolean isOff(int index, long misses, int parts) {
    double share = (misses + PRIOR * sampling.rate() / parts) / (missed + PRIOR);
    long next = Math.max(1, shared + Math.round((live - shared) * share));
    boolean off = Math.abs(next - capacities[index]) > RESIZE * capacities[index];
    capacities[index] = off ? next : capacities[index];
    return off;
  }

  long capacity() {
    return capacities[GROUPS];
  }

  long capacity(int group) {
    return capacities[group];
  }
}
