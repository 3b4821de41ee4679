package dev.ebb.host.policy;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.key.StrategySettings;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The policy that an automatic choice uses now. */
public final class AutoChoice {

  private AutoChoice() {}

  /**
   * Returns what the active policy has chosen. It begins with the first policy, before it has any
   * gauges.
   *
   * @param policy the name of the active policy
   * @param gauges the gauges of the active policy in each partition
   * @return a policy, or several if the partitions differ; null if the active policy is not {@code
   *     auto}
   */
  public static @Nullable String of(
      String policy, StrategySettings configured, List<Map<String, Double>> gauges) {
    if (!policy.equals(AutoPolicy.NAME)) {
      return null;
    }
    List<String> names =
        AutoSettings.read(configured, PolicySpec.of(policy)).policies().stream()
            .map(PolicySpec::display)
            .toList();
    String chosen =
        names.stream()
            .filter(name -> gauges.stream().anyMatch(each -> isChosen(name, each)))
            .collect(Collectors.joining(", "));
    return !chosen.isEmpty() ? chosen : names.isEmpty() ? null : names.getFirst();
  }

  private static boolean isChosen(String name, Map<String, Double> gauges) {
    return gauges.getOrDefault(gauge(name), 0.0) == 1;
  }

  /** Returns the gauge that is 1 while a policy is chosen. */
  static String gauge(String name) {
    return "chosen-" + AutoPolicy.gauge(name);
  }
}
