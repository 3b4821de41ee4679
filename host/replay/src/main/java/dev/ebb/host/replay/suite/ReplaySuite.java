package dev.ebb.host.replay.suite;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.replay.Capacity;
import dev.ebb.host.replay.ReplayModel;
import java.util.List;

/**
 * A named set of traces, capacities and policies.
 *
 * @param traces at least one, with different names
 * @param policies the policies to compare; empty for all that are installed
 * @param seeds the number of seeds, from {@code seed} on
 * @param limit requests to replay of each trace at most
 */
public record ReplaySuite(
    String name,
    List<SuiteTrace> traces,
    List<PolicySpec> policies,
    List<Capacity> capacities,
    ReplayModel model,
    long seed,
    int seeds,
    long limit) {

  public ReplaySuite {
    traces = List.copyOf(traces);
    policies = List.copyOf(policies);
    capacities = List.copyOf(capacities);
  }
}
