package dev.ebb.host.engine;

import dev.ebb.host.admin.AdminApi;
import dev.ebb.host.admin.AdminContext;
import dev.ebb.host.admin.AdminServer;
import dev.ebb.host.admin.ConfigChange;
import dev.ebb.host.admin.RuntimeConfig;
import dev.ebb.host.cache.EvictionLog;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.evictionlog.EvictionSource;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.swap.SwapCause;
import dev.ebb.host.wiring.Closer;
import dev.ebb.host.wiring.Host;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Opens the operators' door of an engine. */
final class EngineDoor {

  private EngineDoor() {}

  static AdminServer open(
      HttpOptions options,
      Host host,
      Engine engine,
      EngineView view,
      EnginePolicies policies,
      EvictionLog log,
      Closer opened) {
    RuntimeConfig config = changes(host, engine, policies);
    OperatorMigrations migrations = opened.add(new OperatorMigrations(engine));
    AdminContext process =
        new AdminContext(
            host,
            config,
            engine::isOpen,
            new EngineStats(engine, config)::document,
            new EngineMetrics(engine),
            () -> engine.locked(() -> engine.partitions.getFirst().cache.policyName()),
            new EvictionSource(log, engine.pageBytes()),
            new EnginePools(engine, view, migrations, host.config().pool().defrag().sliceBytes()));
    return opened.add(AdminServer.open(options, AdminApi.of(process)));
  }

  /** What each key does that can change while the engine runs. */
  private static RuntimeConfig changes(Host host, Engine engine, EnginePolicies policies) {
    BiConsumer<EbbConfig, SwapCause> limits =
        (config, cause) ->
            engine.locked(() -> {
              engine.partitions.forEach(partition ->
                  partition.limits(config.eviction().threshold(), config.eviction().target()));
              return true;
            });
    return new RuntimeConfig(
        host.config(),
        host.tree(),
        Map.of(
            "ebb.eviction.policy",
            (config, cause) -> policies.install(config.eviction().policy().name()),
            "ebb.eviction.threshold",
            limits,
            "ebb.eviction.target",
            limits),
        change -> problems(host, change));
  }

  /** A policy in force whose JAR is gone must not keep an operator from changing other values. */
  private static List<String> problems(Host host, ConfigChange change) {
    String policy = change.next().eviction().policy().name();
    return policy.equals(change.before().eviction().policy().name())
        ? List.of()
        : host.policies().problems(PolicySpec.of(policy));
  }
}
