package dev.ebb.host.admin;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.engine.EngineAdmin;
import dev.ebb.host.engine.EngineStats;
import dev.ebb.host.engine.EngineView;
import dev.ebb.host.engine.ManagedEngine;
import dev.ebb.host.evictionlog.EvictionSource;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.runtime.ConfigChange;
import dev.ebb.host.runtime.RuntimeConfig;
import dev.ebb.host.swap.SwapCause;
import dev.ebb.host.wiring.Closer;
import dev.ebb.host.wiring.Host;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** The admin API of an engine that is embedded in another process. */
public final class EngineAdminServer implements EngineAdmin {

  private final Closer opened = new Closer();

  /** For {@code ServiceLoader}. */
  public EngineAdminServer() {}

  @Override
  public InetSocketAddress start(ManagedEngine engine) {
    Host host = engine.host();
    HttpOptions options = AdminServer.options(host.config().admin(), "ebb.admin.port");
    EngineView view = engine.ebb().view();
    Supplier<EngineStats> stats = engine.ebb()::stats;
    KvLayout layout = engine.ebb().pool().layout();
    long pageBytes = (long) layout.blockBytes() * layout.laneGroups();
    RuntimeConfig config = changes(engine);
    OperatorMigrations migrations = opened.add(new OperatorMigrations());
    AdminContext process =
        new AdminContext(
            host,
            config,
            engine.ebb()::isOpen,
            () -> EngineDocument.of(stats.get(), config.config().eviction(), layout.blockTokens()),
            new EngineMetrics(stats, layout.blockTokens(), pageBytes),
            () -> engine.ebb().pool().report().policy(),
            new EvictionSource(engine.evictions(), pageBytes),
            new EnginePools(view, migrations, host.config().pool().defrag().sliceBytes()));
    return opened.add(AdminServer.open(options, AdminApi.of(process))).address();
  }

  /** What each key does that can change while the engine runs. */
  private static RuntimeConfig changes(ManagedEngine engine) {
    BiConsumer<EbbConfig, SwapCause> limits =
        (config, cause) ->
            engine
                .ebb()
                .view()
                .evictionLimits(config.eviction().threshold(), config.eviction().target());
    Host host = engine.host();
    return new RuntimeConfig(
        host.config(),
        host.tree(),
        Map.of(
            "ebb.eviction.policy",
            (config, cause) -> engine.usePolicy().accept(config.eviction().policy().name()),
            "ebb.eviction.threshold",
            limits,
            "ebb.eviction.target",
            limits),
        change -> problems(host, change));
  }

  /** An active policy whose JAR is gone must not keep an operator from changing other values. */
  private static List<String> problems(Host host, ConfigChange change) {
    String policy = change.next().eviction().policy().name();
    return policy.equals(change.before().eviction().policy().name())
        ? List.of()
        : host.policies().problems(PolicySpec.of(policy));
  }

  @Override
  public void close() {
    opened.close();
  }
}
