package dev.ebb.host.admin;

import dev.ebb.host.http.Call;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the process was like in the last minutes, for charts that begin before they are opened. */
final class History implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(History.class);

  /** Time between two points. */
  private static final int STEP_SECONDS = 2;

  /** 15 minutes. */
  private static final int MOST = 15 * 60 / STEP_SECONDS;

  private final ArrayDeque<HistoryPoint> points = new ArrayDeque<>(MOST);
  private final Supplier<StatsDocument> stats;
  private final Thread clock;

  History(Supplier<StatsDocument> stats) {
    this.stats = stats;
    clock = Thread.ofPlatform().name("ebb-history").daemon().unstarted(this::run);
  }

  /** Starts it. */
  void addTo(Routes routes) {
    routes.add("GET", "/api/v1/history", this::show);
    clock.start();
  }

  private Reply show(Call call) {
    call.query();
    return Reply.json(document());
  }

  /**
   * The last points.
   *
   * @param stepSeconds time between two points
   * @param points oldest first
   */
  private record Document(int stepSeconds, List<HistoryPoint> points) {}

  private synchronized Document document() {
    return new Document(STEP_SECONDS, List.copyOf(points));
  }

  private void run() {
    try {
      while (true) {
        look();
        Thread.sleep(Duration.ofSeconds(STEP_SECONDS));
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private void look() {
    try {
      add(HistoryPoint.of(stats.get()));
    } catch (RuntimeException failed) {
      LOG.warn("no point in the history", failed);
    }
  }

  private synchronized void add(HistoryPoint point) {
    if (points.size() == MOST) {
      points.removeFirst();
    }
    points.addLast(point);
  }

  @Override
  public void close() {
    clock.interrupt();
  }
}
