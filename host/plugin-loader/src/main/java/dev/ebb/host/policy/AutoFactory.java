package dev.ebb.host.policy;

import dev.ebb.host.cache.simulation.SimulatedClock;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.ForeignNames;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.spi.BlockPolicy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Makes automatic choices, with the policies that they choose among. */
final class AutoFactory {

  private final PolicyFactory factory;
  private final Supplier<PluginCatalog> catalog;
  private final AutoSettings settings;
  private final PolicyPartition partition;
  private final List<StrategyInstance<BlockPolicy<?>>> instances = new ArrayList<>();
  private final List<SampledCache> samples = new ArrayList<>();

  private AutoFactory(
      PolicyFactory factory,
      Supplier<PluginCatalog> catalog,
      AutoSettings settings,
      PolicyPartition partition) {
    this.factory = factory;
    this.catalog = catalog;
    this.settings = settings;
    this.partition = partition;
  }

  /**
   * Makes an automatic choice.
   *
   * @throws UserError with everything that is wrong with its settings and its policies
   */
  static StrategyInstance<BlockPolicy<?>> create(
      PolicyFactory factory,
      Supplier<PluginCatalog> catalog,
      PolicySpec spec,
      PolicyPartition partition) {
    return new AutoFactory(factory, catalog, factory.autoSettings(spec), partition).create();
  }

  private StrategyInstance<BlockPolicy<?>> create() {
    try {
      createPolicies();
      createSamples();
    } catch (RuntimeException failed) {
      samples.forEach(SampledCache::close);
      instances.forEach(StrategyInstance::close);
      throw failed;
    }
    StrategyInstance<BlockPolicy<?>> auto =
        new StrategyInstance<>(
            StrategyVersion.builtIn(AutoPolicy.NAME), "policy '%s'".formatted(AutoPolicy.NAME));
    instances.forEach(auto::add);
    return auto.of(
        new AutoPolicy(partition, settings.policies(), instances, samples, settings.regret()),
        settings.values());
  }

  private void createPolicies() {
    PluginCatalog plugins = catalog.get();
    List<String> names = plugins.names(StrategyKind.POLICY);
    List<String> missing = new ArrayList<>();
    Set<String> problems = new LinkedHashSet<>(settings.problems());
    for (PolicySpec each : settings.policies()) {
      try {
        instances.add(factory.create(catalog, each, partition));
      } catch (UserError wrong) {
        boolean unknown =
            !names.contains(each.name())
                && !plugins.undecided(StrategyKind.POLICY).containsKey(each.name());
        if (unknown) {
          missing.add(each.name());
        } else {
          // It names its own key.
          problems.addAll(wrong.messages());
        }
      }
    }
    if (!missing.isEmpty()) {
      problems.add(unknown(missing, names));
    }
    UserError.throwIfAny(List.copyOf(problems));
  }

  private String unknown(List<String> missing, List<String> names) {
    String hint = missing.size() == 1 ? ForeignNames.POLICY.hint(missing.getFirst(), names) : "";
    return "%s: no policy named '%s'%s; available: %s; install its JAR, or name others"
        .formatted(settings.place(), String.join("', '", missing), hint, names);
  }

  private void createSamples() {
    long capacity = Math.min(partition.capacityBlocks(), SampledCache.MOST_ENTRIES);
    for (PolicySpec each : settings.policies()) {
      SimulatedClock time = new SimulatedClock();
      PolicyPartition sample =
          new PolicyPartition(partition.name(), capacity, time, partition.seed());
      samples.add(
          new SampledCache(
              StrategyInstance.candidate(each.display(), factory.create(catalog, each, sample)),
              capacity,
              time));
    }
  }
}
