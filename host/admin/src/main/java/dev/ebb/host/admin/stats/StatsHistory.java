package dev.ebb.host.admin.stats;

import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Supplier;

/** The statistics of the last minutes, so that charts show data as soon as they are opened. */
public final class StatsHistory {

  private static final int STEP_SECONDS = 2;

  /** 15 minutes. */
  private static final int MOST = 15 * 60 / STEP_SECONDS;

  private final ArrayDeque<Point> points = new ArrayDeque<>(MOST);
  private final Supplier<Point> sample;
  private int seconds;

  /** A sample of a process's statistics. */
  sealed interface Point permits HistoryPoint, EnginePoint {}

  private StatsHistory(Supplier<Point> sample) {
    this.sample = sample;
  }

  /** Returns the history of a server, whose measuring intervals end at the points. */
  public static StatsHistory of(Stats stats) {
    return new StatsHistory(() -> {
      stats.step();
      return HistoryPoint.of(stats.document());
    });
  }

  /** Returns the history of an engine, whose tiers' measuring intervals end at the points. */
  public static StatsHistory of(TierFigures tiers, Supplier<EngineDocument> stats) {
    return new StatsHistory(() -> {
      tiers.step();
      return EnginePoint.of(stats.get());
    });
  }

  public void addTo(Routes routes) {
    routes.document(
        Operation.get(
            "/api/v1/history",
            Document.class,
            "statistics of the last 15 minutes, every 2 seconds"),
        this::document);
  }

  private record Document(int stepSeconds, List<Point> points) {}

  private synchronized Document document() {
    return new Document(STEP_SECONDS, List.copyOf(points));
  }

  /** Takes a sample; must be called once a second. */
  public void second() {
    if (seconds++ % STEP_SECONDS == 0) {
      add(sample.get());
    }
  }

  private synchronized void add(Point point) {
    if (points.size() == MOST) {
      points.removeFirst();
    }
    points.addLast(point);
  }
}
