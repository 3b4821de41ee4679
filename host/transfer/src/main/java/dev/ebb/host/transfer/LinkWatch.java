package dev.ebb.host.transfer;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Closes channels whose time limit has passed: a blocked read has no limit of its own. */
final class LinkWatch implements AutoCloseable {

  private static final long PERIOD_NANOS = 50_000_000;

  private final Set<FrameChannel> channels = ConcurrentHashMap.newKeySet();
  private final Runnable eachTime;
  private final Thread thread;
  private volatile boolean closed;

  /** Creates a watch that also runs an action every 50 ms. */
  LinkWatch(String name, Runnable eachTime) {
    this.eachTime = eachTime;
    thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Adds a channel; after {@link #close} it is closed immediately. */
  void add(FrameChannel channel) {
    channels.add(channel);
    if (closed) {
      remove(channel);
    }
  }

  void remove(FrameChannel channel) {
    channels.remove(channel);
    channel.close();
  }

  int size() {
    return channels.size();
  }

  private void run() {
    while (!closed) {
      LockSupport.parkNanos(PERIOD_NANOS);
      long now = System.nanoTime();
      channels.removeIf(channel -> channel.closeIfLate(now));
      eachTime.run();
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    channels.forEach(this::remove);
  }
}
