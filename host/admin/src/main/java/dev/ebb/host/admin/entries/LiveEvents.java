package dev.ebb.host.admin.entries;

import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.stats.EvictionRecord;
import dev.ebb.host.evictionlog.EvictionCursor;
import dev.ebb.host.http.EventFeed;
import dev.ebb.host.http.Json;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes statistics and new evictions each second while there are listeners. The same thread
 * runs the other once-a-second tasks.
 */
public final class LiveEvents implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LiveEvents.class);
  private static final long INTERVAL_MILLIS = 1_000;

  /** The most evictions for each event; further ones are only counted. */
  private static final int MOST_EVICTIONS = 100;

  private final EventFeed feed = new EventFeed();
  private final Supplier<?> stats;
  private final EvictionLog log;
  private final Runnable everySecond;
  private final CountDownLatch stopping = new CountDownLatch(1);

  public LiveEvents(Supplier<?> stats, EvictionLog log, Runnable everySecond) {
    this.stats = stats;
    this.log = log;
    this.everySecond = everySecond;
    Thread.ofPlatform().name("admin-events").daemon().start(this::run);
  }

  private record Evictions(List<EvictionDocument> evictions, long leftOut) {}

  public void addTo(Routes routes) {
    routes.add(
        Operation.page(
            "/api/v1/events",
            Reply.Events.TYPE,
            "server-sent events: statistics and evictions every second"),
        this::open);
  }

  private Reply open(ServerRequest request) {
    request.query();
    return feed.open();
  }

  private void run() {
    EvictionCursor cursor = EvictionCursor.atEnd(log);
    do {
      tick();
      if (feed.readers() > 0) {
        publish(cursor);
      } else {
        cursor = EvictionCursor.atEnd(log);
      }
    } while (!isOver());
  }

  /**
   * Waits for the next round and returns whether this object is closed. An interrupt does not stop
   * it, because a plugin can interrupt any thread.
   */
  private boolean isOver() {
    try {
      return stopping.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException byAPlugin) {
      return stopping.getCount() == 0;
    }
  }

  private void tick() {
    try {
      everySecond.run();
    } catch (RuntimeException failed) {
      LOG.error("no step", failed);
    }
  }

  private void publish(EvictionCursor cursor) {
    try {
      feed.publish("stats", Json.text(stats.get()));
      long missedBefore = cursor.missed();
      List<EvictionRecord> read = cursor.read();
      if (!read.isEmpty()) {
        int first = Math.max(0, read.size() - MOST_EVICTIONS);
        long leftOut = first + cursor.missed() - missedBefore;
        feed.publish(
            "evictions",
            Json.text(
                new Evictions(
                    read.stream().skip(first).map(EvictionDocument::of).toList(), leftOut)));
      }
    } catch (RuntimeException failed) {
      LOG.error("live events failed", failed);
    }
  }

  @Override
  public void close() {
    stopping.countDown();
    feed.close();
  }
}
