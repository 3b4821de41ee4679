package dev.ebb.host.admin.policy;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.http.Body;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.policy.PolicyDescription;
import dev.ebb.host.rules.RulesReport;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.runtime.RuntimeConfig;
import dev.ebb.host.switching.Quarantine;
import dev.ebb.host.wiring.Host;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

public final class PolicyRoutes {

  private final Host host;
  private final PolicyRuntime runtime;

  public PolicyRoutes(Host host, PolicyRuntime runtime) {
    this.host = host;
    this.runtime = runtime;
  }

  public void addTo(Routes routes) {
    routes
        .document(
            Operation.get(
                "/api/v1/policies",
                PolicyDocument.All.class,
                "all policies: plugin, version, settings and defaults, or why one cannot be"
                    + " created"),
            this::list)
        .document(
            Operation.get("/api/v1/policy", PolicyDocument.class, "the active policy"), this::show)
        .document(
            Operation.put("/api/v1/policy", PolicyDocument.Changed.class, "switches the policy")
                .body(Field.text("policy", "its name and, in parentheses, its settings").needed()),
            this::change);
  }

  private PolicyDocument.All list() {
    return new PolicyDocument.All(
        active(),
        runtime.chosen(),
        configured(),
        report().active(),
        report().paused(),
        runtime.site().admission(),
        host.descriptions().all().stream().map(this::described).toList());
  }

  private PolicyDocument.Described described(PolicyDescription policy) {
    QuarantineDocument quarantine =
        cases()
            .filter(each ->
                each.strategy().name().equals(policy.name())
                    && Objects.equals(each.strategy().version(), policy.version()))
            .map(QuarantineDocument::of)
            .reduce((older, newer) -> newer)
            .orElse(null);
    StrategyVersion serving = servesOn(policy);
    return new PolicyDocument.Described(
        policy.name(),
        serving == null ? policy.plugin() : serving.plugin(),
        serving == null ? policy.version() : serving.version(),
        policy.settings(),
        policy.problem(),
        quarantine);
  }

  /**
   * Returns the active version of a policy that several plugins offer. Such a policy cannot be
   * activated, but an active one stays active.
   */
  private @Nullable StrategyVersion servesOn(PolicyDescription policy) {
    StrategyVersion serving = runtime.switcher().active();
    return policy.plugin() == null
            && policy.problem() != null
            && serving.name().equals(policy.name())
        ? serving
        : null;
  }

  private PolicyDocument show() {
    StrategyVersion previous = runtime.switcher().previous();
    return new PolicyDocument(
        active(),
        runtime.chosen(),
        configured(),
        report().active(),
        report().paused(),
        StrategyDocument.of(runtime.switcher().active()),
        previous == null ? null : StrategyDocument.of(previous),
        cases().map(QuarantineDocument::of).toList());
  }

  private Stream<Quarantine.Case> cases() {
    return runtime.switcher().quarantine().cases().stream();
  }

  private PolicyDocument.Changed change(ServerRequest request) {
    Body body = request.body();
    String before = active();
    PolicySpec wanted = PolicySpec.parse(body.text("policy"), "policy");
    RuntimeConfig.Plan made = runtime.use(wanted);
    return new PolicyDocument.Changed(active(), before, made.changes(), report().paused());
  }

  private RulesReport report() {
    return runtime.rules().report();
  }

  private String active() {
    return runtime.policy();
  }

  private String configured() {
    return runtime.config().config().eviction().policy().name();
  }
}
