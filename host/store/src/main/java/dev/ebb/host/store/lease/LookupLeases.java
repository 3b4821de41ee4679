package dev.ebb.host.store.lease;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.store.chain.ChainedValue;
import dev.ebb.host.store.stats.LeaseStats;
import dev.ebb.host.store.value.ObjectMemory;
import dev.ebb.host.store.value.StoredValue;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.PolicyClock;

/**
 * Values that a lookup has found are not evicted for a short time, so that the client that looked
 * them up can read them. A lease ends when its value was read as often as it was looked up, is
 * removed, or when it expires; a lookup of a leased value extends it. All leases together take a
 * bounded share of the partition. Guarded by the partition's lock.
 */
public final class LookupLeases {

  /** The share of a partition that leases may take. */
  public static final double SHARE = 0.25;

  private final BlockCache cache;
  private final PolicyClock time;
  private final long budgetUnits;

  /** In the order of their ends, the first one cold. */
  private final NodeList<ChainedValue> leased = new NodeList<>();

  private long nanos;
  private long units;
  private long read;
  private long removed;
  private long expired;
  private long refused;

  public LookupLeases(BlockCache cache, PolicyClock time, long nanos) {
    this.cache = cache;
    this.time = time;
    this.nanos = nanos;
    budgetUnits = (long) (cache.capacityBlocks() * SHARE);
  }

  /** Changes how long leases last; 0 for no leases. A shorter time ends those that are held. */
  public void duration(long newNanos) {
    if (newNanos < nanos) {
      expire(time.nanos() + nanos);
    }
    nanos = newNanos;
  }

  public void grant(StoredValue value) {
    grant(value, 1);
  }

  /** Leases a visible value for several lookups, if there is room for one more lease. */
  public void grant(StoredValue value, int lookups) {
    if (nanos == 0) {
      return;
    }
    long now = time.nanos();
    expire(now);
    if (value.list() != null) {
      leased.remove(value);
    } else if (units + value.weight() > budgetUnits) {
      refused++;
      return;
    } else {
      cache.pin(requireNonNull(value.entry()));
      units += value.weight();
    }
    value.lease(lookups, now + nanos);
    leased.addHot(value);
  }

  public void reweighed(StoredValue value, long more) {
    units += value.list() == null ? 0 : more;
  }

  /** Ends the lease of a value that is being read, unless another client looked it up too. */
  public void read(StoredValue value) {
    if (value.readLeased()) {
      read++;
      release(value);
    }
  }

  public void removed(StoredValue value) {
    if (value.list() != null) {
      removed++;
      release(value);
    }
  }

  public void expire() {
    if (units > 0) {
      expire(time.nanos());
    }
  }

  private void expire(long now) {
    while (leased.cold() instanceof StoredValue first && first.leaseEnd() - now <= 0) {
      expired++;
      release(first);
    }
  }

  private void release(StoredValue value) {
    leased.remove(value);
    value.release();
    units -= value.weight();
    cache.unpin(requireNonNull(value.entry()));
  }

  public LeaseStats stats() {
    return new LeaseStats(
        leased.size(), units * ObjectMemory.UNIT_BYTES, read, removed, expired, refused);
  }
}
