package dev.ebb.host.admin.policy;

import dev.ebb.host.http.Field;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.switching.PluginReloads;
import dev.ebb.host.switching.PolicySwitcher;
import dev.ebb.host.switching.SwitchRecord;
import dev.ebb.host.units.Percent;
import java.util.List;

/** Routes for policy switches, rollback and the quarantine. */
public final class SwitchRoutes {

  private static final int MOST = 256;

  private final PolicyRuntime runtime;
  private final PolicySwitcher switcher;

  public SwitchRoutes(PolicyRuntime runtime) {
    this.runtime = runtime;
    this.switcher = runtime.switcher();
  }

  public void addTo(Routes routes) {
    routes
        .add(
            Operation.post(
                "/api/v1/policy/rollback",
                PolicyDocument.RolledBack.class,
                "switches to the previous policy and its JAR"),
            this::rollback)
        .add(
            Operation.delete(
                "/api/v1/quarantine/{policy}",
                QuarantineDocument.Cleared.class,
                "removes a policy from quarantine"),
            this::clear)
        .add(
            Operation.get(
                    "/api/v1/plugins/history",
                    SwapDocument.History.class,
                    "policy switches and attempts")
                .query(Field.integer("tail", 1, MOST, "only the latest ones").or(MOST)),
            this::history)
        .add(
            Operation.post(
                "/api/v1/plugins/reload",
                PluginReloads.Result.class,
                "checks the plugin folder now, including JARs that were refused"),
            this::reload);
  }

  private Reply rollback(ServerRequest request) {
    request.body();
    String before = switcher.active().name();
    SwitchRecord record = runtime.rollback();
    return Reply.json(
        new PolicyDocument.RolledBack(
            record.to().name(),
            before,
            StrategyDocument.of(record.to()),
            runtime.rules().report().paused()));
  }

  private Reply clear(ServerRequest request) {
    request.query();
    String policy = Percent.decodeText(request.path("policy"));
    return Reply.json(
        new QuarantineDocument.Cleared(
            policy,
            switcher.quarantine().clear(policy).stream().map(QuarantineDocument::of).toList()));
  }

  private Reply history(ServerRequest request) {
    int tail = (int) request.query().integer("tail");
    List<SwitchRecord> records = switcher.history().records();
    return Reply.json(
        new SwapDocument.History(
            switcher.history().count(),
            switcher.uncollectedLoaders(),
            records.subList(Math.max(0, records.size() - tail), records.size()).stream()
                .map(SwapDocument::of)
                .toList()));
  }

  private Reply reload(ServerRequest request) {
    request.body();
    return Reply.json(runtime.reload());
  }
}
