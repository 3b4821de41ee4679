package dev.ebb.host.admin;

import dev.ebb.host.http.Call;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;

/** The rules that activate policies. */
final class RuleRoutes {

  private final ServerContext served;

  RuleRoutes(ServerContext served) {
    this.served = served;
  }

  void addTo(Routes routes) {
    routes
        .add("GET", "/api/v1/policy/rules", this::show)
        .add("POST", "/api/v1/policy/rules/pause", this::pause)
        .add("POST", "/api/v1/policy/rules/resume", this::resume);
  }

  private Reply show(Call call) {
    call.query();
    return document();
  }

  private Reply pause(Call call) {
    call.body();
    served.runtime().rules().pause();
    return document();
  }

  private Reply resume(Call call) {
    call.body();
    served.runtime().rules().resume();
    return document();
  }

  private Reply document() {
    return Reply.json(
        RulesDocument.of(
            served.runtime().rules().report(),
            served.runtime().swaps().inForce().name(),
            served.runtime().config().config().eviction().policy().name()));
  }
}
