package dev.ebb.host.cluster;

import dev.ebb.host.cluster.pending.PendingWrites;
import dev.ebb.host.cluster.placement.CheckReason;
import dev.ebb.host.store.ChangeListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The keys that this node has to check against the directory. A key may be in it several times. If
 * there are too many, all keys of the node are checked.
 */
final class ChangedKeys implements ChangeListener {

  /** It takes longer to list more keys than this than to check all. */
  private static final int MOST = 1 << 18;

  private final Queue<Key> keys = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicReference<@Nullable CheckReason> all = new AtomicReference<>();
  private final Semaphore signal = new Semaphore(0);
  private final PendingWrites writes;

  ChangedKeys(PendingWrites writes) {
    this.writes = writes;
  }

  // The array is the key itself; a copy for each use would be waste.
  @SuppressWarnings("ArrayRecordComponent")
  record Key(byte[] key, CheckReason reason) {}

  @Override
  public void changed(byte[] mainKey) {
    writes.changed(mainKey);
    add(mainKey, CheckReason.CHANGED);
  }

  /** Returns a listener to the replicas, which other nodes do not restore when they are evicted. */
  ChangeListener ofReplicas() {
    return mainKey -> add(mainKey, CheckReason.REPLICA_EVICTED);
  }

  void add(byte[] mainKey, CheckReason reason) {
    if (count.incrementAndGet() > MOST) {
      count.decrementAndGet();
      addAll(CheckReason.RECHECKED);
      return;
    }
    keys.add(new Key(mainKey, reason));
    wake();
  }

  void addAll(CheckReason reason) {
    all.accumulateAndGet(reason, (a, b) -> a == null ? b : b == null ? a : a.and(b));
    wake();
  }

  /** Returns why every key is to be checked, once; null if that is not so. */
  @Nullable CheckReason takeAll() {
    return all.getAndSet(null);
  }

  int count() {
    return count.get();
  }

  List<Key> take(int most, long millis) throws InterruptedException {
    if (keys.isEmpty() && all.get() == null) {
      var _ = signal.tryAcquire(millis, TimeUnit.MILLISECONDS);
    }
    signal.drainPermits();
    List<Key> taken = new ArrayList<>();
    Key key = null;
    while (taken.size() < most && (key = keys.poll()) != null) {
      taken.add(key);
    }
    count.addAndGet(-taken.size());
    return taken;
  }

  private void wake() {
    if (signal.availablePermits() == 0) {
      signal.release();
    }
  }
}
