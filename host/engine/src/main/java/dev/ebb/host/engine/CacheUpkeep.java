package dev.ebb.host.engine;

import dev.ebb.host.engine.sequence.DevicePartition;
import dev.ebb.host.engine.sequence.Engine;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends pins and removes blocks that were not used for their time to live, in the background. */
final class CacheUpkeep implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CacheUpkeep.class);
  private static final long SHORTEST_MILLIS = 100;
  private static final long LONGEST_MILLIS = 1_000;

  /** The number of checks within a time to live. */
  private static final int CHECKS = 10;

  private static final Duration MOST_BETWEEN = Duration.ofMinutes(1);

  private final Engine engine;
  private final Thread thread;
  private volatile Duration ttl;
  private volatile boolean closed;
  private volatile long nextExpiry;

  /** Starts the upkeep with a time to live for unused blocks; zero for none. */
  CacheUpkeep(Engine engine, Duration ttl) {
    this.engine = engine;
    this.ttl = ttl;
    nextExpiry = System.nanoTime();
    thread = Thread.ofPlatform().daemon().name("ebb-upkeep").start(this::work);
  }

  /** Changes the time to live, which applies immediately. */
  void ttl(Duration next) {
    ttl = next;
    nextExpiry = System.nanoTime();
    thread.interrupt();
  }

  private void work() {
    while (!closed) {
      try {
        round();
        Thread.sleep(pauseMillis());
      } catch (InterruptedException changedOrPlugin) {
        // Only close() ends the thread: a plugin can interrupt any thread.
      } catch (RuntimeException failed) {
        LOG.error("upkeep failed reason={}", failed.toString());
        closed = true;
      }
    }
  }

  private long pauseMillis() {
    return ttl.isZero()
        ? LONGEST_MILLIS
        : Math.clamp(ttl.toMillis() / CHECKS, SHORTEST_MILLIS, LONGEST_MILLIS);
  }

  private void round() {
    Instant now = Instant.now();
    ifOpen(partition -> partition.pins.expire(now));
    long nanos = System.nanoTime();
    Duration life = ttl;
    if (!life.isZero() && nanos - nextExpiry >= 0) {
      nextExpiry = nanos + Math.min(life.dividedBy(CHECKS).toNanos(), MOST_BETWEEN.toNanos());
      ifOpen(partition -> partition.expire(nanos, life.toNanos()));
    }
  }

  private void ifOpen(Consumer<DevicePartition> work) {
    engine.exclusively(() -> {
      if (engine.isOpen()) {
        engine.partitions.forEach(work);
        engine.freed.signalAll();
      }
    });
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException again) {
      Thread.currentThread().interrupt();
    }
  }
}
