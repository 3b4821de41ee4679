package dev.ebb.host.devkit;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.testkit.TestContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Measures the heap that block policies take for each entry. */
public final class MemoryMeter implements AutoCloseable {

  private static final int RESIDENTS = 200_000;

  private final PluginHost host;

  /** Loads the plugins. */
  public MemoryMeter(EbbConfig config) {
    host = new PluginHost(config);
    host.open();
  }

  /**
   * Measures policies, one after the other.
   *
   * @return one for each policy, by name
   */
  public List<PolicyMemory> run(Predicate<String> wanted, VerifyProgress progress) {
    List<String> names = host.catalog().names(StrategyKind.POLICY).stream().filter(wanted).toList();
    List<PolicyMemory> measured = new ArrayList<>();
    for (String name : names) {
      progress.at("memory of " + name, measured.size(), names.size());
      measured.add(measure(name));
    }
    return measured;
  }

  private PolicyMemory measure(String name) {
    TestContext context = Contexts.of(host.catalog(), RESIDENTS);
    try {
      return DrivenPolicy.use(
          host.catalog().strategy(StrategyKind.POLICY, name),
          context,
          RESIDENTS,
          policy -> measure(name, policy));
    } catch (RuntimeException failed) {
      return new PolicyMemory(name, Double.NaN, Double.NaN, String.valueOf(failed.getMessage()));
    }
  }

  private static PolicyMemory measure(String name, DrivenPolicy<?> policy) {
    policy.createEntries();
    double empty = Heap.used();
    policy.fill();
    double full = Heap.used();
    policy.replace(RESIDENTS);
    return new PolicyMemory(
        name, (full - empty) / RESIDENTS, (Heap.used() - empty) / RESIDENTS, null);
  }

  @Override
  public void close() {
    host.close();
  }
}
