package dev.ebb.host.admin.policy;

import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.switching.PolicySwitcher;
import dev.ebb.host.switching.Quarantine;
import dev.ebb.host.wiring.Host;
import java.util.List;
import java.util.Objects;

/** Routes for the plugin folder. */
public final class PluginRoutes {

  private final Host host;
  private final PolicySwitcher switcher;

  public PluginRoutes(Host host, PolicySwitcher switcher) {
    this.host = host;
    this.switcher = switcher;
  }

  public void addTo(Routes routes) {
    routes.add(
        Operation.get(
            "/api/v1/plugins",
            PluginsDocument.class,
            "each JAR in the plugin folder: hash, state, why it is not loaded"),
        this::list);
  }

  private Reply list(ServerRequest request) {
    request.query();
    List<PluginReport> reports = host.plugins().reports().stream().map(this::noted).toList();
    return Reply.json(PluginsDocument.of(host.config().plugins().folder(), reports));
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
