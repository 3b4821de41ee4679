package dev.ebb.host.admin;

import dev.ebb.host.admin.advice.Advisor;
import dev.ebb.host.admin.entries.EngineEntries;
import dev.ebb.host.admin.pool.EnginePools;
import dev.ebb.host.admin.pool.OperatorMigrations;
import dev.ebb.host.admin.stats.AdviceFacts;
import dev.ebb.host.admin.stats.EngineDocument;
import dev.ebb.host.admin.stats.EngineMetrics;
import dev.ebb.host.admin.stats.RequestLatencies;
import dev.ebb.host.admin.stats.StatsHistory;
import dev.ebb.host.admin.stats.TierFigures;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EngineAdmin;
import dev.ebb.host.engine.EngineView;
import dev.ebb.host.engine.stats.EngineStats;
import dev.ebb.host.engine.stats.RequestStats;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.http.HttpServer;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.wiring.Host;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** The admin API of an engine that is embedded in another process. */
public final class EngineAdminServer implements EngineAdmin {

  private final Closer opened = new Closer();

  public EngineAdminServer() {}

  @Override
  public InetSocketAddress start(Ebb ebb, Host host) {
    HttpOptions options = AdminServer.options(host.config().admin(), "ebb.admin.port");
    EngineView view = ebb.view();
    Supplier<EngineStats> stats = ebb::stats;
    KvLayout layout = ebb.pool().layout();
    PolicyRuntime runtime = ebb.policies();
    OperatorMigrations migrations = opened.add(new OperatorMigrations());
    RequestLatencies recent = new RequestLatencies();
    Advisor advisor = new Advisor();
    TierFigures tiers = new TierFigures(() -> stats.get().disk());
    Supplier<EngineDocument> document =
        () -> EngineDocument.of(stats.get(), runtime, recent, layout, tiers, advisor.advice());
    StatsHistory history = StatsHistory.of(tiers, document);
    AdminContext process =
        new AdminContext(
            host,
            runtime,
            () -> HealthDocument.of(ebb.isOpen(), runtime, advisor.advice()),
            advisor,
            () -> AdviceFacts.of(stats.get(), runtime, layout.blockTokens()),
            () -> document.get(),
            new EngineMetrics(ebb),
            new EnginePools(view, migrations, host.config().pool().defrag().sliceBytes()),
            new EngineEntries(view.blocks(), null));
    return opened
        .add(
            AdminServer.open(
                options,
                AdminApi.of(
                    process,
                    stats.get().disk() != null,
                    document,
                    history,
                    () -> {
                      mark(recent, stats);
                      history.second();
                    }),
                HttpServer.clientMemory()))
        .address();
  }

  private static void mark(RequestLatencies recent, Supplier<EngineStats> stats) {
    if (recent.second()) {
      RequestStats requests = stats.get().requests();
      if (requests != null) {
        recent.mark(requests);
      }
    }
  }

  @Override
  public void close() {
    opened.close();
  }
}
