package dev.ebb.host.engine;

import dev.ebb.host.engine.sequence.DevicePartition;
import dev.ebb.host.engine.sequence.Engine;
import dev.ebb.host.lifecycle.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;

/** Ends pins and removes blocks that were not used for their time to live, in the background. */
final class CacheUpkeep implements AutoCloseable {

  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_ROUND = Duration.ofMinutes(1);

  /** The number of checks within a time to live. */
  private static final int CHECKS = 10;

  private static final Duration MOST_BETWEEN = Duration.ofMinutes(1);

  private final Engine engine;
  private final Ticker ticker;
  private volatile Duration ttl;
  private volatile long nextExpiry;

  /** Starts the upkeep with a time to live for unused blocks; zero for none. */
  CacheUpkeep(Engine engine, Duration ttl) {
    this.engine = engine;
    this.ttl = ttl;
    nextExpiry = System.nanoTime();
    ticker = new Ticker("ebb-upkeep", PAUSE, this::round);
  }

  /** Changes the time to live, which applies from the next round on. */
  void ttl(Duration next) {
    ttl = next;
    nextExpiry = System.nanoTime();
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
    ticker.close(LONGEST_ROUND);
  }
}
