package dev.ebb.host.serve;

import dev.ebb.host.admin.RuntimeConfig;
import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.RuleConfig;
import dev.ebb.host.objects.ObjectStore;
import dev.ebb.host.rules.Rules;
import dev.ebb.host.swap.SwapCause;
import dev.ebb.host.wiring.Host;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** What each key does that can change while the process serves. */
final class RuntimeChanges {

  private RuntimeChanges() {}

  static RuntimeConfig of(
      Host host, ObjectStore store, Rules rules, EvictionLogging logging, StoreShadows shadows) {
    BiConsumer<EbbConfig, SwapCause> limits =
        (config, cause) -> {
          store.limits(limits(config.eviction()));
          shadows.limits(limits(config.eviction()));
        };
    BiConsumer<EbbConfig, SwapCause> shadow = (config, cause) -> shadows.apply(config);
    return new RuntimeConfig(
        host.config(),
        host.tree(),
        Map.of(
            "ebb.eviction.log",
            (config, cause) -> logging.apply(config),
            "ebb.eviction.policy",
            (config, cause) -> rules.configure(config.eviction().policy().name(), cause),
            "ebb.eviction.rules",
            (config, cause) -> rules.set(config.eviction().rules()),
            "ebb.eviction.threshold",
            limits,
            "ebb.eviction.target",
            limits,
            "ebb.eviction.deadline",
            limits,
            "ebb.eviction.ttl",
            (config, cause) -> store.idle(config.eviction().ttl()),
            "ebb.eviction.pin-budget",
            (config, cause) -> store.pinBudget(config.eviction().pinBudget()),
            "ebb.shadow.policies",
            shadow,
            "ebb.shadow.rate",
            shadow),
        config -> problems(host, config));
  }

  private static List<String> problems(Host host, EbbConfig config) {
    PolicySpec chosen = PolicySpec.of(config.eviction().policy().name());
    Stream<String> problems =
        Stream.concat(Stream.of(chosen), config.shadow().policies().stream())
            .flatMap(spec -> host.policies().problems(spec).stream());
    Stream<String> ofRules =
        config.eviction().rules().stream().flatMap(rule -> problems(host, rule).stream());
    return Stream.concat(problems, ofRules).toList();
  }

  private static List<String> problems(Host host, RuleConfig rule) {
    return host.policies().problems(PolicySpec.of(rule.policy().name())).stream()
        .map(problem -> rule.policyPath() + ": " + problem)
        .toList();
  }

  static EvictionLimits limits(EvictionConfig eviction) {
    return new EvictionLimits(eviction.threshold(), eviction.target(), eviction.deadline());
  }
}
