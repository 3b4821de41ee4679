package dev.ebb.host.cluster.pending;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be fetched. New values come before those that are copied again because a node has
 * left: thousands of these must not delay a value that has no other copy yet.
 */
public final class OfferQueue<T> {

  private final Queue<T> recent;
  private final Queue<T> old;
  private final Semaphore count = new Semaphore(0);

  public OfferQueue(int most) {
    recent = new ArrayBlockingQueue<>(most);
    old = new ArrayBlockingQueue<>(most);
  }

  /** Adds an offer; returns whether there was room for it. */
  public boolean offer(T offer, boolean isRecent) {
    boolean added = (isRecent ? recent : old).offer(offer);
    if (added) {
      count.release();
    }
    return added;
  }

  /**
   * Waits for an offer.
   *
   * @param oldFirst whether to prefer an old one, so that new ones do not stop these
   */
  public T take(boolean oldFirst) throws InterruptedException {
    count.acquire();
    while (true) {
      for (Queue<T> queue : oldFirst ? List.of(old, recent) : List.of(recent, old)) {
        @Nullable T next = queue.poll();
        if (next != null) {
          return next;
        }
      }
      // Another thread took the one that was seen, and left one in the other queue.
    }
  }
}
