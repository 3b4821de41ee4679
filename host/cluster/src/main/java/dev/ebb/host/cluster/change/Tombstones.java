package dev.ebb.host.cluster.change;

import dev.ebb.host.cluster.directory.ValueId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * The values that clients have deleted lately. A copy of one that was on its way to this node at
 * that time is not stored.
 */
public final class Tombstones {

  private static final int STRIPES = 64;
  private static final int MOST_OF_STRIPE = 1_024;

  private final Stripe[] stripes = new Stripe[STRIPES];
  private final AtomicLong clears = new AtomicLong();
  private final AtomicLong clearedVersion = new AtomicLong(Long.MIN_VALUE);

  /** The newest deletions of some values, each with its version. */
  private static final class Stripe extends LinkedHashMap<ValueId, Long> {

    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<ValueId, Long> eldest) {
      return size() > MOST_OF_STRIPE;
    }
  }

  public Tombstones() {
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
  }

  public long clears() {
    return clears.get();
  }

  /**
   * Removes all copies of this node. None that is on its way now will be stored, and none that is
   * not newer than a version: another node may offer it before it removes its own.
   */
  public void clear(long version, Runnable remove) {
    clears.incrementAndGet();
    clearedVersion.accumulateAndGet(version, Math::max);
    for (Stripe stripe : stripes) {
      synchronized (stripe) {
        // A copy that was found valid before is stored now, and removed below.
        stripe.clear();
      }
    }
    remove.run();
  }

  public void delete(byte[] key, long version, Runnable remove) {
    ValueId id = ValueId.of(key);
    Stripe stripe = stripe(id);
    synchronized (stripe) {
      stripe.merge(id, version, Math::max);
      remove.run();
    }
  }

  /**
   * Stores a copy that has arrived, unless it was deleted meanwhile.
   *
   * @param clearsBefore {@link #clears} when it was asked for
   * @return whether the copy is stored
   */
  public boolean store(byte[] key, long version, long clearsBefore, Supplier<Boolean> store) {
    ValueId id = ValueId.of(key);
    Stripe stripe = stripe(id);
    synchronized (stripe) {
      return clears.get() == clearsBefore
          && version > clearedVersion.get()
          && version > stripe.getOrDefault(id, Long.MIN_VALUE)
          && store.get();
    }
  }

  private Stripe stripe(ValueId id) {
    return stripes[Math.floorMod(id.hashCode(), STRIPES)];
  }
}
