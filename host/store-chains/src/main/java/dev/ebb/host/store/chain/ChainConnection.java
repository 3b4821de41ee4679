package dev.ebb.host.store.chain;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the order of a connection's lookups, reads and writes has shown. For one thread at a time.
 */
public abstract class ChainConnection {

  /** A gap between lookups is a pause if it is so many times as long as usual, within limits. */
  private static final int PAUSE = 4;

  private static final long LEAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long MOST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** The client's host, which may have other connections. */
  final String peer;

  /** The request that it serves; guarded by that request's partition. */
  @Nullable ObservedRequest request;

  /** It has read what its own lookups found. */
  boolean reads;

  /** The client that it is of, in the partition whose lock is held. */
  @Nullable ChainClient client;

  /** The last key of another than the first rank that it looked up and missed. */
  long missed = Predecessors.NONE;

  /** The request of the first rank that it stored values for last. */
  @Nullable ObservedRequest assisted;

  /** The stated request that it has read a value for last; null if there is none. */
  @Nullable ObservedRequest reading;

  /** Entries that were evicted for values that it has not stored yet. */
  long evictions;

  /** The longest time to allocate memory for these values; -1 if none was allocated. */
  long allocatingNanos = -1;

  /** An estimate of the median gap between two lookups of a prompt, at first for slow networks. */
  private long gapNanos = TimeUnit.MILLISECONDS.toNanos(100) / PAUSE;

  protected ChainConnection(String peer) {
    this.peer = peer;
  }

  protected abstract Collection<ObservedRequest> stated();

  public void allocated(long evicted, long nanos) {
    evictions += evicted;
    allocatingNanos = Math.max(allocatingNanos, nanos);
  }

  /** Returns whether a gap between two lookups is too long for these to be of the same prompt. */
  boolean isPause(long nanos) {
    return nanos > Math.clamp(PAUSE * gapNanos, LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS);
  }

  void looksUpEvery(long nanos) {
    long step = gapNanos / 8;
    long next = nanos > gapNanos ? gapNanos + step : gapNanos - step;
    gapNanos = Math.clamp(next, LEAST_PAUSE_NANOS / PAUSE, MOST_PAUSE_NANOS / PAUSE);
  }

  protected void endLookups() {
    ObservedRequest current = request;
    if (current != null) {
      current.chains.locked(() -> current.served = true);
    }
  }

  protected void serve(@Nullable ObservedRequest next) {
    ObservedRequest current = request;
    request = next;
    if (current != null && current != next) {
      current.chains.locked(() -> current.chains.end(current));
    }
  }
}
