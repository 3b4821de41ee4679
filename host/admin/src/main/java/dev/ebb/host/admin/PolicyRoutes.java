package dev.ebb.host.admin;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.SettingValue;
import dev.ebb.host.http.Body;
import dev.ebb.host.http.Call;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.policy.PolicyDescription;
import dev.ebb.host.rules.Rules;
import dev.ebb.host.rules.RulesReport;
import dev.ebb.host.runtime.RuntimeConfig;
import dev.ebb.host.swap.PolicySwaps;
import dev.ebb.host.swap.Quarantine;
import dev.ebb.host.swap.SwapCause;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which eviction policies there are, and which is active. */
final class PolicyRoutes {

  private static final String KEY = "ebb.eviction.policy";

  private final AdminContext process;
  private final @Nullable PolicySwaps swaps;
  private final @Nullable Rules rules;

  /**
   * Routes.
   *
   * @param served a process that serves clients; null in an engine's
   */
  PolicyRoutes(AdminContext process, @Nullable ServerContext served) {
    this.process = process;
    this.swaps = served == null ? null : served.runtime().swaps();
    this.rules = served == null ? null : served.runtime().rules();
  }

  private record InForce(
      String policy,
      String configured,
      @Nullable String rule,
      boolean rulesPaused,
      @Nullable StrategyDocument version,
      @Nullable StrategyDocument previous,
      List<QuarantineDocument> quarantine) {}

  private record Listed(
      String policy,
      String configured,
      @Nullable String rule,
      boolean rulesPaused,
      List<Described> policies) {}

  private record Described(
      String name,
      @Nullable String plugin,
      @Nullable String version,
      List<SettingValue> settings,
      @Nullable String problem,
      @Nullable QuarantineDocument quarantine) {}

  private record Changed(
      String policy, String before, List<RuntimeConfig.Change> changes, boolean rulesPaused) {}

  void addTo(Routes routes) {
    routes
        .add("GET", "/api/v1/policies", this::list)
        .add("GET", "/api/v1/policy", this::show)
        .add("PUT", "/api/v1/policy", this::change);
  }

  private Reply list(Call call) {
    call.query();
    return Reply.json(
        new Listed(
            inForce(),
            configured(),
            report().inForce(),
            report().paused(),
            process.host().descriptions().all().stream().map(this::described).toList()));
  }

  private Described described(PolicyDescription policy) {
    QuarantineDocument quarantine =
        cases()
            .filter(each ->
                each.strategy().name().equals(policy.name())
                    && Objects.equals(each.strategy().version(), policy.version()))
            .map(QuarantineDocument::of)
            .reduce((older, newer) -> newer)
            .orElse(null);
    StrategyVersion serving = servesOn(policy);
    return new Described(
        policy.name(),
        serving == null ? policy.plugin() : serving.plugin(),
        serving == null ? policy.version() : serving.version(),
        policy.settings(),
        policy.problem(),
        quarantine);
  }

  /** What several plugins offer cannot be chosen anew; the active one serves on. */
  private @Nullable StrategyVersion servesOn(PolicyDescription policy) {
    StrategyVersion serving = swaps == null ? null : swaps.inForce();
    return serving != null
            && policy.plugin() == null
            && policy.problem() != null
            && serving.name().equals(policy.name())
        ? serving
        : null;
  }

  private Reply show(Call call) {
    call.query();
    StrategyVersion previous = swaps == null ? null : swaps.previous();
    return Reply.json(
        new InForce(
            inForce(),
            configured(),
            report().inForce(),
            report().paused(),
            swaps == null ? null : StrategyDocument.of(swaps.inForce()),
            previous == null ? null : StrategyDocument.of(previous),
            cases().map(QuarantineDocument::of).toList()));
  }

  private Stream<Quarantine.Case> cases() {
    return swaps == null ? Stream.of() : swaps.quarantine().cases().stream();
  }

  private Reply change(Call call) {
    Body body = call.body("policy");
    String before = inForce();
    PolicySpec wanted = PolicySpec.parse(body.text("policy"), "policy");
    RuntimeConfig.Plan made = process.config().commit(values(wanted), SwapCause.OPERATOR);
    // After a fault, or by a rule, the configured policy is not the active one.
    if (rules != null) {
      rules.configure(wanted.name(), SwapCause.OPERATOR);
    }
    return Reply.json(new Changed(inForce(), before, made.changes(), report().paused()));
  }

  /** The policy, and each of the settings that are said with it. */
  private Map<String, Object> values(PolicySpec wanted) {
    String section = process.config().config().eviction().policies().pathOf(wanted.name());
    Map<String, Object> values = new TreeMap<>(Map.of(KEY, wanted.name()));
    wanted
        .settings()
        .entrySet()
        .forEach(setting ->
            values.put(section + "." + setting.getKey(), setting.getValue().unwrapped()));
    return values;
  }

  private RulesReport report() {
    return rules == null ? RulesReport.NONE : rules.report();
  }

  private String inForce() {
    return process.policy().get();
  }

  private String configured() {
    return process.config().config().eviction().policy().name();
  }
}
