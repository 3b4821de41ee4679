package dev.ebb.host.admin.policy;

import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.runtime.PolicyRuntime;

/** Routes for the rules that activate policies. */
public final class RuleRoutes {

  private final PolicyRuntime runtime;

  public RuleRoutes(PolicyRuntime runtime) {
    this.runtime = runtime;
  }

  public void addTo(Routes routes) {
    routes
        .document(
            Operation.get(
                "/api/v1/policy/rules", RulesDocument.class, "the rules and their current values"),
            this::show)
        .document(
            Operation.post(
                "/api/v1/policy/rules/pause",
                RulesDocument.class,
                "disables rules and activates the configured policy"),
            this::pause)
        .document(
            Operation.post(
                "/api/v1/policy/rules/resume", RulesDocument.class, "enables rules again"),
            this::resume);
  }

  private RulesDocument pause() {
    runtime.rules().pause();
    return show();
  }

  private RulesDocument resume() {
    runtime.rules().resume();
    return show();
  }

  private RulesDocument show() {
    return RulesDocument.of(
        runtime.rules().report(),
        runtime.switcher().active().name(),
        runtime.config().config().eviction().policy().name());
  }
}
