package dev.ebb.host.admin.policy;

import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.runtime.PolicyRuntime;

/** Routes for the rules that activate policies. */
public final class RuleRoutes {

  private final PolicyRuntime runtime;

  public RuleRoutes(PolicyRuntime runtime) {
    this.runtime = runtime;
  }

  public void addTo(Routes routes) {
    routes
        .add(
            Operation.get(
                "/api/v1/policy/rules", RulesDocument.class, "the rules and their current values"),
            this::show)
        .add(
            Operation.post(
                "/api/v1/policy/rules/pause",
                RulesDocument.class,
                "disables rules and activates the configured policy"),
            this::pause)
        .add(
            Operation.post(
                "/api/v1/policy/rules/resume", RulesDocument.class, "enables rules again"),
            this::resume);
  }

  private Reply show(ServerRequest request) {
    request.query();
    return document();
  }

  private Reply pause(ServerRequest request) {
    request.body();
    runtime.rules().pause();
    return document();
  }

  private Reply resume(ServerRequest request) {
    request.body();
    runtime.rules().resume();
    return document();
  }

  private Reply document() {
    return Reply.json(
        RulesDocument.of(
            runtime.rules().report(),
            runtime.switcher().active().name(),
            runtime.config().config().eviction().policy().name()));
  }
}
