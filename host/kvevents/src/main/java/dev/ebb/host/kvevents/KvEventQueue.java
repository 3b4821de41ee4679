package dev.ebb.host.kvevents;

import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.store.key.KeyListener;
import dev.ebb.host.store.key.StatedTokens;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Events between the store and the publisher. When it is full it drops events, so that the store
 * never waits, and marks the place.
 */
final class KvEventQueue implements KeyListener {

  private static final KvEvent CLEARED = new KvEvent.Cleared();
  private static final KvEvent LOST = new KvEvent.Lost();

  /** The most tokens of requests that wait. */
  private static final int MOST_STATED = 1 << 22;

  private final Queue<KvEvent> events = new ArrayDeque<>();
  private final int capacity;
  private boolean losing;
  private long dropped;

  /** The tokens of all requests and blocks that wait. */
  private int statedTokens;

  KvEventQueue(int capacity) {
    this.capacity = capacity;
  }

  @Override
  public void stored(byte[] key, int group, @Nullable ObjectGroup kind, byte @Nullable [] parent) {
    add(new KvEvent.Stored(key, parent, group, kind == null ? null : kind.kind()));
  }

  @Override
  public void removed(byte[] key, int group, RemovalCause cause) {
    add(new KvEvent.Removed(key, group));
  }

  @Override
  public void cleared() {
    add(CLEARED);
  }

  /** Adds the tokens of a request, unless too many wait already. */
  synchronized void stated(StatedTokens tokens) {
    if (events.size() < capacity && statedTokens + tokens.tokens().length <= MOST_STATED) {
      statedTokens += tokens.tokens().length;
      add(new KvEvent.Stated(tokens));
    }
  }

  /** Adds a block of sequences. Too many tokens that wait are a full queue. */
  synchronized void page(KvEvent.PageStored page) {
    int tokens = tokens(page);
    if (statedTokens + tokens > MOST_STATED) {
      drop();
      return;
    }
    if (events.size() < capacity) {
      statedTokens += tokens;
    }
    add(page);
  }

  private static int tokens(KvEvent event) {
    return switch (event) {
      case KvEvent.Stated stated -> stated.tokens().tokens().length;
      case KvEvent.PageStored page -> page.block() == null ? 0 : page.block().tokens().length;
      default -> 0;
    };
  }

  private void drop() {
    dropped++;
    if (!losing) {
      losing = true;
      events.add(LOST);
    }
  }

  /** Removals of blocks are never dropped: the next {@code Cleared} would announce them again. */
  synchronized void add(KvEvent event) {
    if (events.size() >= capacity && !(event instanceof KvEvent.PageRemoved)) {
      drop();
      return;
    }
    losing = false;
    events.add(event);
    if (events.size() == 1) {
      notifyAll();
    }
  }

  /**
   * Takes the next events, of which a {@link KvEvent.Lost} is the last.
   *
   * @param millis how long to wait for the first one
   */
  synchronized List<KvEvent> take(int most, long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    long left = end - System.nanoTime();
    while (events.isEmpty() && left > 0) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException byAPlugin) {
        // A plugin can interrupt any thread, which must not end anything.
      }
      left = end - System.nanoTime();
    }
    List<KvEvent> taken = new ArrayList<>();
    KvEvent last = null;
    while (taken.size() < most && !events.isEmpty() && !LOST.equals(last)) {
      last = events.remove();
      taken.add(last);
      statedTokens -= tokens(last);
    }
    return taken;
  }

  synchronized boolean isEmpty() {
    return events.isEmpty();
  }

  synchronized int size() {
    return events.size();
  }

  synchronized long dropped() {
    return dropped;
  }
}
