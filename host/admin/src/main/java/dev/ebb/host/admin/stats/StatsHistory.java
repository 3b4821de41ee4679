package dev.ebb.host.admin.stats;

import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import java.util.ArrayDeque;
import java.util.List;

/** The statistics of the last minutes, so that charts show data as soon as they are opened. */
public final class StatsHistory {

  private static final int STEP_SECONDS = 2;

  /** 15 minutes. */
  private static final int MOST = 15 * 60 / STEP_SECONDS;

  private final ArrayDeque<HistoryPoint> points = new ArrayDeque<>(MOST);
  private final Stats stats;
  private int seconds;

  public StatsHistory(Stats stats) {
    this.stats = stats;
  }

  public void addTo(Routes routes) {
    routes.document(
        Operation.get(
            "/api/v1/history",
            Document.class,
            "statistics of the last 15 minutes, every 2 seconds"),
        this::document);
  }

  /** The last points. */
  private record Document(int stepSeconds, List<HistoryPoint> points) {}

  private synchronized Document document() {
    return new Document(STEP_SECONDS, List.copyOf(points));
  }

  /** Takes a sample; must be called once a second. */
  public void second() {
    if (seconds++ % STEP_SECONDS == 0) {
      stats.step();
      add(HistoryPoint.of(stats.document()));
    }
  }

  private synchronized void add(HistoryPoint point) {
    if (points.size() == MOST) {
      points.removeFirst();
    }
    points.addLast(point);
  }
}
