package dev.ebb.host.admin;

import dev.ebb.host.admin.stats.ServerContext;
import dev.ebb.host.cache.BuiltInLru;
import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.runtime.PolicyRuntime;
import java.util.ArrayList;
import java.util.List;

/** Finds out whether a process can be used, and why not. */
final class Health {

  private Health() {}

  /** Returns the health of a process that serves clients. */
  static HealthDocument of(ServerContext served) {
    if (!served.resp().stats().accepting()) {
      return HealthDocument.DRAINING;
    }
    String damage = served.runtime().damage();
    if (damage != null) {
      return HealthDocument.damaged(damage);
    }
    List<String> warnings = new ArrayList<>(warnings(served.runtime()));
    ClusterView cluster = served.cluster();
    boolean hasSeeds = !served.host().config().cluster().seeds().isEmpty();
    if (cluster != null && hasSeeds && cluster.nodes().size() == 1) {
      warnings.add(
          "no other node of the cluster '%s' can be reached; see 'ebb cluster nodes'"
              .formatted(cluster.name()));
    }
    return HealthDocument.ready(warnings);
  }

  /** Returns the health of an engine that is open or closed. */
  static HealthDocument of(boolean open, PolicyRuntime runtime) {
    String damage = runtime.damage();
    if (damage != null) {
      return HealthDocument.damaged(damage);
    }
    return open ? HealthDocument.ready(warnings(runtime)) : HealthDocument.DRAINING;
  }

  private static List<String> warnings(PolicyRuntime runtime) {
    return runtime.policy().equals(BuiltInLru.NAME)
        ? List.of(
            "'%s' is active because the chosen policy failed or its JAR was removed; see 'ebb policy show'"
                .formatted(BuiltInLru.NAME))
        : List.of();
  }
}
