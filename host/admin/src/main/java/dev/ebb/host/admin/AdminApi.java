package dev.ebb.host.admin;

import dev.ebb.host.admin.advice.Advisor;
import dev.ebb.host.admin.cluster.ClusterRoutes;
import dev.ebb.host.admin.entries.BlockRangesDocument;
import dev.ebb.host.admin.entries.CombinedEntries;
import dev.ebb.host.admin.entries.EngineEntries;
import dev.ebb.host.admin.entries.EntryOperations;
import dev.ebb.host.admin.entries.EntryRoutes;
import dev.ebb.host.admin.entries.EvictionDocument;
import dev.ebb.host.admin.entries.HintDocument;
import dev.ebb.host.admin.entries.LiveEvents;
import dev.ebb.host.admin.entries.PinRoutes;
import dev.ebb.host.admin.entries.StoredEntries;
import dev.ebb.host.admin.policy.ConfigRoutes;
import dev.ebb.host.admin.policy.PluginRoutes;
import dev.ebb.host.admin.policy.PolicyRoutes;
import dev.ebb.host.admin.policy.RecordRoutes;
import dev.ebb.host.admin.policy.RulesDocument;
import dev.ebb.host.admin.policy.ShadowRoutes;
import dev.ebb.host.admin.pool.ObjectPool;
import dev.ebb.host.admin.pool.PoolOperations;
import dev.ebb.host.admin.pool.PoolRoutes;
import dev.ebb.host.admin.rollout.CanaryRoutes;
import dev.ebb.host.admin.stats.AdviceFacts;
import dev.ebb.host.admin.stats.EngineDocument;
import dev.ebb.host.admin.stats.ModelRoutes;
import dev.ebb.host.admin.stats.PolicyMetrics;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.admin.stats.ServedMetrics;
import dev.ebb.host.admin.stats.ServerContext;
import dev.ebb.host.admin.stats.Stats;
import dev.ebb.host.admin.stats.StatsHistory;
import dev.ebb.host.admin.stats.TierFigures;
import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.metrics.Metrics;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.store.ObjectStore;
import java.util.List;
import java.util.function.Supplier;

/** All operations of the admin API. {@code docs/admin.md} documents the same list. */
public final class AdminApi implements AutoCloseable {

  private final Routes routes = new Routes();
  private final Closer running = new Closer();
  private volatile boolean started;

  private AdminApi() {}

  /** Returns the API of a process that serves clients. */
  public static AdminApi of(ServerContext served) {
    AdminApi api = new AdminApi();
    ObjectStore store = served.store();
    Advisor advisor = new Advisor();
    Stats stats = new Stats(served, advisor);
    AdminContext process =
        new AdminContext(
            served.host(),
            served.runtime(),
            () ->
                api.started
                    ? HealthDocument.of(
                        served.resp().stats().accepting(), served.runtime(), advisor.advice())
                    : HealthDocument.STARTING,
            advisor,
            () -> AdviceFacts.of(served),
            stats::document,
            new ServedMetrics(served),
            pools(served),
            entries(served));
    Dashboard.ofValues(served.disk() != null, served.cluster() != null, served.sequences() != null)
        .addTo(api.routes);
    api.numbers(process);
    stats.addTo(api.routes);
    StatsHistory history = StatsHistory.of(stats);
    history.addTo(api.routes);
    api.policies(process);
    api.entries(process);
    new ModelRoutes(store).addTo(api.routes);
    BlockRangesDocument.addTo(api.routes, store);
    HintDocument.addTo(api.routes, served.resp().hints());
    api.canary(process, stats::document);
    new ClusterRoutes(served.cluster()).addTo(api.routes);
    api.memory(process, history::second);
    return api;
  }

  /** Returns the values, and the blocks of sequences if there is memory for them. */
  private static EntryOperations entries(ServerContext served) {
    return new CombinedEntries(
        new StoredEntries(served.store(), served.disk()),
        () -> {
          Ebb engine = served.ebb();
          return engine == null
              ? null
              : new EngineEntries(engine.view().blocks(), ServerConfig.SEQUENCES_PART);
        });
  }

  private static PoolOperations pools(ServerContext served) {
    return new ObjectPool(
        served.store(),
        () -> {
          Ebb engine = served.ebb();
          return engine == null ? null : engine.view();
        });
  }

  /** Returns the API of a process with an embedded engine. */
  static AdminApi of(
      AdminContext process,
      boolean disk,
      Supplier<EngineDocument> engine,
      StatsHistory history,
      Runnable everySecond) {
    AdminApi api = new AdminApi();
    Dashboard.ofSequences(disk).addTo(api.routes);
    api.numbers(process);
    TierFigures.addTo(api.routes, () -> engine.get().tiers());
    history.addTo(api.routes);
    api.policies(process);
    api.entries(process);
    api.canary(process, engine);
    api.memory(process, everySecond);
    return api;
  }

  private void numbers(AdminContext process) {
    new ApiRoutes(routes).addTo(routes);
    Metrics metrics =
        running.add(
            new Metrics(
                List.of(
                    process.metrics(), new PolicyMetrics(process.runtime(), process.advisor()))));
    routes
        .add(
            Operation.get("/health/live", HealthDocument.class, "200 while the process runs")
                .open(),
            request -> Reply.json(HealthDocument.LIVE))
        .add(
            Operation.get(
                    "/health/ready",
                    HealthDocument.class,
                    "200 while clients can use Ebb; otherwise 503 and the reasons")
                .open(),
            request -> ready(process.health().get()))
        .add(
            Operation.page("/metrics", Metrics.TYPE, "metrics in Prometheus text format"),
            metrics::reply)
        .document(
            Operation.get("/api/v1/stats", ProcessDocument.class, "all statistics in one document"),
            process.stats());
  }

  // Supervisors and load balancers call this without a token.
  private static Reply ready(HealthDocument health) {
    return Reply.json(health.isReady() ? 200 : 503, health);
  }

  private void policies(AdminContext process) {
    PolicyRuntime runtime = process.runtime();
    new PolicyRoutes(process.host(), runtime).addTo(routes);
    new PluginRoutes(process.host(), runtime).addTo(routes);
    new ConfigRoutes(runtime).addTo(routes);
    RulesDocument.addTo(routes, runtime);
    new ShadowRoutes(runtime).addTo(routes);
    new RecordRoutes(runtime.site()).addTo(routes);
  }

  private void entries(AdminContext process) {
    new EntryRoutes(process.entries()).addTo(routes);
    new PinRoutes(process.entries()).addTo(routes);
  }

  private void canary(AdminContext process, Supplier<? extends ProcessDocument> stats) {
    running.add(new CanaryRoutes(process.runtime(), () -> stats.get().requested())).addTo(routes);
  }

  private void memory(AdminContext process, Runnable everySecond) {
    new PoolRoutes(process.pool()).addTo(routes);
    EvictionDocument.addTo(routes, process.runtime().site().evictionLog());
    running
        .add(
            new LiveEvents(
                process.stats(),
                process.runtime().site().evictionLog(),
                () -> {
                  everySecond.run();
                  process.runtime().curve().second();
                  process.advisor().take(process.facts().get());
                }))
        .addTo(routes);
  }

  public Routes routes() {
    return routes;
  }

  /** Reports the process as ready from now on, unless there are reasons against it. */
  void started() {
    started = true;
  }

  @Override
  public void close() {
    running.close();
  }
}
