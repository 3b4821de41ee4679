package dev.ebb.host.admin.policy;

import dev.ebb.host.http.Field;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.switching.PluginReloads;
import dev.ebb.host.switching.PolicySwitcher;
import dev.ebb.host.switching.Quarantine;
import dev.ebb.host.switching.SwitchRecord;
import dev.ebb.host.units.Percent;
import dev.ebb.host.wiring.Host;
import java.util.List;
import java.util.Objects;

/** Routes for the plugin folder, policy switches, rollback and the quarantine. */
public final class PluginRoutes {

  private static final int MOST = 256;

  private final Host host;
  private final PolicyRuntime runtime;
  private final PolicySwitcher switcher;

  public PluginRoutes(Host host, PolicyRuntime runtime) {
    this.host = host;
    this.runtime = runtime;
    this.switcher = runtime.switcher();
  }

  public void addTo(Routes routes) {
    routes
        .document(
            Operation.get(
                "/api/v1/plugins",
                PluginsDocument.class,
                "each JAR in the plugin folder: hash, state, why it is not loaded"),
            this::plugins)
        .document(
            Operation.post(
                "/api/v1/policy/rollback",
                PolicyDocument.RolledBack.class,
                "switches to the previous policy and its JAR"),
            this::rollback)
        .document(
            Operation.delete(
                "/api/v1/quarantine/{policy}",
                QuarantineDocument.Cleared.class,
                "removes a policy from quarantine"),
            this::clear)
        .document(
            Operation.get(
                    "/api/v1/plugins/history",
                    SwapDocument.History.class,
                    "policy switches and attempts")
                .query(Field.integer("tail", 1, MOST, "only the latest ones").or(MOST)),
            this::history)
        .document(
            Operation.post(
                "/api/v1/plugins/reload",
                PluginReloads.Result.class,
                "checks the plugin folder now, including JARs that were refused"),
            runtime::reload);
  }

  private PolicyDocument.RolledBack rollback() {
    String before = switcher.active().name();
    SwitchRecord record = runtime.rollback();
    return new PolicyDocument.RolledBack(
        record.to().name(),
        before,
        StrategyDocument.of(record.to()),
        runtime.rules().report().paused());
  }

  private QuarantineDocument.Cleared clear(ServerRequest request) {
    String policy = Percent.decodeText(request.path("policy"));
    return new QuarantineDocument.Cleared(
        policy, switcher.quarantine().clear(policy).stream().map(QuarantineDocument::of).toList());
  }

  private SwapDocument.History history(ServerRequest request) {
    int tail = (int) request.query().integer("tail");
    List<SwitchRecord> records = switcher.history().records();
    return new SwapDocument.History(
        switcher.history().count(),
        switcher.uncollectedLoaders(),
        records.subList(Math.max(0, records.size() - tail), records.size()).stream()
            .map(SwapDocument::of)
            .toList());
  }

  private PluginsDocument plugins() {
    List<PluginReport> reports = host.plugins().reports().stream().map(this::noted).toList();
    return PluginsDocument.of(host.config().plugins().folder(), reports);
  }

  /** A plugin's report also shows the quarantine, because operators look there first. */
  private PluginReport noted(PluginReport report) {
    PluginReport noted = report;
    List<Quarantine.Case> cases = switcher.quarantine().cases();
    for (Quarantine.Case each : cases) {
      if (Objects.equals(each.strategy().sha256(), report.sha256())) {
        noted =
            noted.noting(
                "the policy '%s' is in quarantine since %s: %s"
                    .formatted(each.strategy().name(), each.since(), each.reason()));
      }
    }
    return noted;
  }
}
