package dev.ebb.host.admin;

import dev.ebb.host.admin.stats.PolicyMetrics;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.metrics.Metrics;
import java.util.List;

/** Routes of every process: health and metrics. */
final class CommonRoutes implements AutoCloseable {

  private final AdminContext process;
  private final Metrics metrics;

  CommonRoutes(AdminContext process) {
    this.process = process;
    metrics = new Metrics(List.of(process.metrics(), new PolicyMetrics(process.runtime())));
  }

  void addTo(Routes routes) {
    routes.add(
        Operation.get("/health/live", HealthDocument.class, "200 while the process runs").open(),
        request -> Reply.json(HealthDocument.LIVE));
    routes.add(
        Operation.get(
                "/health/ready",
                HealthDocument.class,
                "200 while clients can use Ebb; otherwise 503 and the reasons")
            .open(),
        this::ready);
    routes.add(
        Operation.page("/metrics", Metrics.TYPE, "metrics in Prometheus text format"),
        request -> Reply.text(Metrics.TYPE, metrics.scrape()));
    routes.add(
        Operation.get("/api/v1/stats", ProcessDocument.class, "all statistics in one document"),
        this::stats);
  }

  // Supervisors and load balancers call this without a token.
  private Reply ready(ServerRequest request) {
    HealthDocument health = process.health().get();
    return health.isReady() ? Reply.json(health) : Reply.json(503, health);
  }

  private Reply stats(ServerRequest request) {
    request.query();
    return Reply.json(process.stats().get());
  }

  @Override
  public void close() {
    metrics.close();
  }
}
