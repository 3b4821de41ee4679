package dev.ebb.host.serve;

import dev.ebb.host.admin.RuntimeConfig;
import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.objects.ObjectStore;
import dev.ebb.host.objects.TimeSource;
import dev.ebb.host.wiring.Host;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** What each key does that can change while the process serves. */
final class RuntimeChanges {

  private RuntimeChanges() {}

  static RuntimeConfig of(
      Host host, ObjectStore store, EvictionLogging logging, StoreShadows shadows) {
    Consumer<EbbConfig> limits =
        config -> {
          store.limits(limits(config.eviction()));
          shadows.limits(limits(config.eviction()));
        };
    return new RuntimeConfig(
        host.config(),
        host.tree(),
        Map.of(
            "ebb.eviction.log",
            logging::apply,
            "ebb.eviction.policy",
            config -> install(host, store, config),
            "ebb.eviction.threshold",
            limits,
            "ebb.eviction.target",
            limits,
            "ebb.eviction.deadline",
            limits,
            "ebb.eviction.ttl",
            config -> store.idle(config.eviction().ttl()),
            "ebb.eviction.pin-budget",
            config -> store.pinBudget(config.eviction().pinBudget()),
            "ebb.shadow.policies",
            shadows::apply,
            "ebb.shadow.rate",
            shadows::apply),
        config -> problems(host, config));
  }

  private static List<String> problems(Host host, EbbConfig config) {
    PolicySpec chosen = PolicySpec.of(config.eviction().policy().name());
    return Stream.concat(Stream.of(chosen), config.shadow().policies().stream())
        .flatMap(spec -> host.policies().problems(spec).stream())
        .toList();
  }

  static EvictionLimits limits(EvictionConfig eviction) {
    return new EvictionLimits(eviction.threshold(), eviction.target(), eviction.deadline());
  }

  /** Puts the configured policy in force, under traffic if there is any. */
  static void install(Host host, ObjectStore store, EbbConfig config) {
    String name = config.eviction().policy().name();
    try {
      store.install(
          name,
          (partition, capacityBlocks) ->
              host.policies()
                  .create(
                      name,
                      capacityBlocks,
                      partition,
                      TimeSource.SYSTEM::nanos,
                      new SecureRandom().nextLong()));
    } catch (PolicyFault fault) {
      throw new UserError(String.valueOf(fault.getMessage()));
    }
  }
}
