package dev.ebb.host.serve;

import dev.ebb.host.admin.RuntimeConfig;
import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.config.Choice;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.objects.ObjectStore;
import dev.ebb.host.rules.Rules;
import dev.ebb.host.swap.PolicySwaps;
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
      Host host,
      ObjectStore store,
      PolicySwaps swaps,
      Rules rules,
      EvictionLogging logging,
      StoreShadows shadows) {
    BiConsumer<EbbConfig, SwapCause> limits =
        (config, cause) -> {
          store.limits(limits(config.eviction()));
          shadows.limits(limits(config.eviction()));
        };
    BiConsumer<EbbConfig, SwapCause> shadow = (config, cause) -> shadows.apply(config);
    Map<String, BiConsumer<EbbConfig, SwapCause>> effects =
        Map.ofEntries(
            entry("ebb.eviction.log", (config, cause) -> logging.apply(config)),
            entry("ebb.eviction.policies.*", swaps::configure),
            entry(
                "ebb.eviction.policy",
                (config, cause) -> rules.configure(config.eviction().policy().name(), cause)),
            entry("ebb.eviction.rules", (config, cause) -> rules.set(config.eviction().rules())),
            entry("ebb.eviction.threshold", limits),
            entry("ebb.eviction.target", limits),
            entry("ebb.eviction.deadline", limits),
            entry("ebb.eviction.ttl", (config, cause) -> store.idle(config.eviction().ttl())),
            entry(
                "ebb.eviction.pin-budget",
                (config, cause) -> store.pinBudget(config.eviction().pinBudget())),
            entry("ebb.shadow.policies", shadow),
            entry("ebb.shadow.rate", shadow));
    return new RuntimeConfig(host.config(), host.tree(), effects, config -> problems(host, config));
  }

  private static Map.Entry<String, BiConsumer<EbbConfig, SwapCause>> entry(
      String key, BiConsumer<EbbConfig, SwapCause> effect) {
    return Map.entry(key, effect);
  }

  private static List<String> problems(Host host, EbbConfig config) {
    List<String> ofSettings = host.policies().problems(config);
    if (!ofSettings.isEmpty()) {
      return ofSettings;
    }
    Choice chosen = config.eviction().policy();
    Stream<String> ofPolicy =
        problems(host, chosen, isByOperator(chosen) ? "" : "ebb.eviction.policy: ");
    Stream<String> ofShadows =
        config.shadow().policies().stream()
            .flatMap(spec -> host.policies().problems(spec).stream());
    Stream<String> ofRules =
        config.eviction().rules().stream()
            .flatMap(rule -> problems(host, rule.policy(), rule.policyPath() + ": "));
    return Stream.of(ofPolicy, ofShadows, ofRules).flatMap(each -> each).toList();
  }

  private static Stream<String> problems(Host host, Choice policy, String key) {
    String place = policy.where() == null || isByOperator(policy) ? "" : policy.where() + ": ";
    return host.policies().problems(PolicySpec.of(policy.name())).stream()
        .map(problem -> place + key + problem);
  }

  /** Who has just said it knows where. */
  private static boolean isByOperator(Choice policy) {
    return RuntimeConfig.ADMIN.equals(policy.where());
  }

  static EvictionLimits limits(EvictionConfig eviction) {
    return new EvictionLimits(eviction.threshold(), eviction.target(), eviction.deadline());
  }
}
