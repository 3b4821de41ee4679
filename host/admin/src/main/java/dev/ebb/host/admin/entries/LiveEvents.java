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
import dev.ebb.host.http.ServerSentEvents;
import dev.ebb.host.lifecycle.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Publishes statistics and new evictions each second while there are listeners. The same thread
 * runs the other once-a-second tasks.
 */
public final class LiveEvents implements AutoCloseable {

  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** The most evictions for each event; further ones are only counted. */
  private static final int MOST_EVICTIONS = 100;

  private final EventFeed feed = new EventFeed();
  private final Supplier<?> stats;
  private final EvictionLog log;
  private final Runnable everySecond;
  private final Ticker ticker;
  private EvictionCursor cursor;

  public LiveEvents(Supplier<?> stats, EvictionLog log, Runnable everySecond) {
    this.stats = stats;
    this.log = log;
    this.everySecond = everySecond;
    cursor = EvictionCursor.atEnd(log);
    ticker = new Ticker("admin-events", Duration.ZERO, INTERVAL, this::run);
  }

  private record Evictions(List<EvictionDocument> evictions, long leftOut) {}

  public void addTo(Routes routes) {
    routes.add(
        Operation.page(
            "/api/v1/events",
            ServerSentEvents.TYPE,
            "server-sent events: statistics and evictions every second"),
        this::open);
  }

  private Reply open(ServerRequest request) {
    request.query();
    return feed.open();
  }

  private void run() {
    try {
      everySecond.run();
    } finally {
      if (feed.readers() > 0) {
        publish();
      } else {
        cursor = EvictionCursor.atEnd(log);
      }
    }
  }

  private void publish() {
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
  }

  @Override
  public void close() {
    ticker.close();
    feed.close();
  }
}
