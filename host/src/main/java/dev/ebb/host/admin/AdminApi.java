package dev.ebb.host.admin;

import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.metrics.Metrics;
import java.util.List;

/** Everything that operators can call. {@code docs/admin.md} is the same list for readers. */
public final class AdminApi implements AutoCloseable {

  private final Routes routes = new Routes();
  private final Metrics metrics;
  private final LiveEvents events;
  private final History history;

  /**
   * The calls for a serving process.
   *
   * @param served its parts
   */
  public AdminApi(Served served) {
    metrics = new Metrics(List.of(new ServedMetrics(served)));
    Stats stats = new Stats(served);
    new Dashboard().addTo(routes);
    new HealthRoutes(served.resp()).addTo(routes);
    routes.add("GET", "/metrics", call -> Reply.text(Metrics.TYPE, metrics.scrape()));
    routes.add(
        "GET",
        "/api/v1/stats",
        call -> {
          call.query();
          return Reply.json(stats.document());
        });
    history = new History(stats::document);
    history.addTo(routes);
    new PolicyRoutes(served).addTo(routes);
    new PluginRoutes(served.host()).addTo(routes);
    new ConfigRoutes(served.config()).addTo(routes);
    new EntryRoutes(served.store()).addTo(routes);
    new PinRoutes(served.store()).addTo(routes);
    new EvictRoutes(served.store()).addTo(routes);
    new EvictionRoutes(served.evictions()).addTo(routes);
    events = new LiveEvents(stats, served.evictions());
    events.addTo(routes);
  }

  /**
   * The routes.
   *
   * @return to be served
   */
  public Routes routes() {
    return routes;
  }

  /** Ends what runs beside the calls. */
  @Override
  public void close() {
    events.close();
    history.close();
    metrics.close();
  }
}
