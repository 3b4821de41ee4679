package dev.ebb.host.engine.tier;

import dev.ebb.host.cache.index.CacheEntry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cached pages on their way to a tier. Their blocks are held until their bytes are copied; a thread
 * of its own, which nobody waits for, copies and writes them. Thread-safe.
 *
 * @param <T> how the tier names a page
 */
final class PageQueue<T> {

  private static final Logger LOG = LoggerFactory.getLogger(PageQueue.class);
  private static final long CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(5);

  /** How often, and how long apart, bytes are asked for that the engine has not assigned yet. */
  private static final int MOST_TRIES = 1_000;

  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final ReentrantLock lock;
  private final Condition freed;
  private final Condition queued;
  private final Writer<T> writer;
  private final Thread thread;

  /** The bytes of the page that is being written; free for others when the thread has ended. */
  final MemorySegment copy;

  // Guarded by the engine's lock.
  private final Deque<Queued<T>> pages = new ArrayDeque<>();
  private @Nullable DevicePages copying;
  private boolean closed;

  @SuppressWarnings("ArrayRecordComponent")
  private record Queued<T>(DevicePages device, int depth, int[] blocks, T page, int tries) {
    Queued<T> again() {
      return new Queued<>(device, depth, blocks, page, tries + 1);
    }
  }

  /** Writes pages, on the thread of the queue. */
  interface Writer<T> {

    void write(T page, MemorySegment bytes);

    /** Ends a page that is not written. May be called under the engine's lock. */
    void dropped(T page);
  }

  /** Creates a queue; {@code freed} is signalled when blocks become free. */
  PageQueue(String name, int pageBytes, ReentrantLock lock, Condition freed, Writer<T> writer) {
    this.lock = lock;
    this.freed = freed;
    this.writer = writer;
    queued = lock.newCondition();
    // Freed by the garbage collector, because a tier that hangs may keep the thread in a write.
    copy = Arena.ofAuto().allocate(pageBytes, Long.BYTES);
    thread = new Thread(this::run, name);
    thread.setDaemon(true);
    thread.start();
  }

  // The next three under the engine's lock.

  boolean isClosed() {
    return closed;
  }

  void add(DevicePages device, CacheEntry entry, T page) {
    int[] blocks = device.blocks(entry);
    device.hold(blocks);
    pages.add(new Queued<>(device, entry.depth(), blocks, page, 0));
    queued.signal();
  }

  /** Drops the pages of a device that wait; waits for the one that is being copied if none does. */
  boolean drop(DevicePages device) {
    boolean dropped = false;
    for (Iterator<Queued<T>> all = pages.iterator(); all.hasNext(); ) {
      Queued<T> page = all.next();
      if (page.device == device) {
        all.remove();
        writer.dropped(page.page);
        device.release(page.blocks);
        dropped = true;
      }
    }
    while (!dropped && copying == device) {
      freed.awaitUninterruptibly();
      dropped = copying != device;
    }
    return dropped;
  }

  private void run() {
    Queued<T> next = take();
    while (next != null) {
      if (copied(next)) {
        writer.write(next.page, copy);
      }
      next = take();
    }
  }

  /** Waits for a page; returns null when all are written after {@link #close}. */
  private @Nullable Queued<T> take() {
    return locked(() -> {
      while (pages.isEmpty() && !closed) {
        queued.awaitUninterruptibly();
      }
      Queued<T> next = pages.poll();
      copying = next == null ? null : next.device;
      return next;
    });
  }

  private boolean copied(Queued<T> page) {
    boolean copied = false;
    boolean later = false;
    try {
      copied = page.device.bytes.read(page.depth, page.blocks, copy);
      later = !copied && page.tries < MOST_TRIES;
    } catch (RuntimeException failed) {
      LOG.warn("page not copied to a tier reason=\"{}\"", failed.toString());
    } finally {
      Queued<T> again = later ? page.again() : null;
      locked(() -> copied(page, again));
    }
    if (later) {
      LockSupport.parkNanos(AGAIN_NANOS);
    } else if (!copied) {
      writer.dropped(page.page);
    }
    return copied;
  }

  private boolean copied(Queued<T> page, @Nullable Queued<T> again) {
    copying = null;
    if (again == null) {
      page.device.release(page.blocks);
    } else {
      pages.add(again);
    }
    freed.signalAll();
    return true;
  }

  <R extends @Nullable Object> R locked(Supplier<R> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all are written; returns false if that takes too long. */
  boolean close() {
    locked(() -> {
      closed = true;
      queued.signal();
      return true;
    });
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
