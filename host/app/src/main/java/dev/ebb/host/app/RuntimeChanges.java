package dev.ebb.host.app;

import dev.ebb.host.admin.RuntimeConfig;
import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.rules.Rules;
import dev.ebb.host.shadow.Shadows;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.swap.PolicySwaps;
import dev.ebb.host.swap.SwapCause;
import dev.ebb.host.wiring.Host;
import java.util.Map;
import java.util.function.BiConsumer;

/** What each key does that can change while the process serves. */
final class RuntimeChanges {

  private RuntimeChanges() {}

  static RuntimeConfig of(
      Host host,
      ObjectStore store,
      PolicySwaps swaps,
      Rules rules,
      EvictionLogging logging,
      Shadows shadows) {
    BiConsumer<EbbConfig, SwapCause> limits =
        (config, cause) -> {
          store.limits(limits(config.eviction()));
          shadows.restart();
        };
    BiConsumer<EbbConfig, SwapCause> shadow = (config, cause) -> apply(shadows, config);
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
    return new RuntimeConfig(
        host.config(),
        host.tree(),
        effects,
        change -> new ChangeCheck(host.policies(), change).problems());
  }

  private static Map.Entry<String, BiConsumer<EbbConfig, SwapCause>> entry(
      String key, BiConsumer<EbbConfig, SwapCause> effect) {
    return Map.entry(key, effect);
  }

  static void apply(Shadows shadows, EbbConfig config) {
    shadows.set(
        config.shadow().policies().stream().map(PolicySpec::display).toList(),
        config.shadow().rate());
  }

  static EvictionLimits limits(EvictionConfig eviction) {
    return new EvictionLimits(eviction.threshold(), eviction.target(), eviction.deadline());
  }
}
