package dev.ebb.dist;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Faults of a cluster, one after the other. Each ends before the next one begins. */
final class RandomFaults {

  private static final int SHORTEST_MILLIS = 500;

  private final ClusterProcesses cluster;
  private final @Nullable RackNetwork network;
  private final Random random;

  RandomFaults(ClusterProcesses cluster, @Nullable RackNetwork network, Random random) {
    this.cluster = cluster;
    this.network = network;
    this.random = random;
  }

  /** Runs a fault until it has ended, and returns what it was. */
  String next() throws IOException {
    EbbProcess node = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    RackNetwork racks = network;
    return switch (random.nextInt(racks == null ? 5 : 9)) {
      case 0, 1 -> kill(List.of(node), "kill -9 of " + node);
      case 2 -> kill(cluster.rack(node.rack), "kill -9 of " + node.rack);
      case 3 -> pause(node);
      case 4 -> restart(node);
      case 5 -> isolate(racks, node);
      case 6, 7 -> partition(racks, node.rack);
      default -> disturb(racks, node.rack);
    };
  }

  private void last(int mostMillis) {
    ClusterProcesses.sleep(SHORTEST_MILLIS + random.nextInt(mostMillis));
  }

  private String kill(List<EbbProcess> nodes, String what) throws IOException {
    for (EbbProcess each : nodes) {
      each.kill();
    }
    last(8_000);
    for (EbbProcess each : nodes) {
      each.start();
    }
    cluster.awaitMembers();
    return what;
  }

  private String pause(EbbProcess node) {
    node.pause();
    last(20_000);
    node.resume();
    cluster.awaitMembers();
    return "pause of " + node;
  }

  private String restart(EbbProcess node) throws IOException {
    node.terminate();
    node.start();
    cluster.awaitMembers();
    return "restart of " + node;
  }

  private void disturbAll() {
    cluster.nodes().forEach(EbbProcess::disturbed);
  }

  private String isolate(@Nullable RackNetwork racks, EbbProcess node) {
    disturbAll();
    if (racks != null) {
      racks.isolate(node.name, true);
      last(15_000);
      racks.isolate(node.name, false);
    }
    disturbAll();
    cluster.awaitMembers();
    return "isolation of " + node;
  }

  private String partition(@Nullable RackNetwork racks, String rack) {
    disturbAll();
    if (racks != null) {
      racks.between().block(rack, true);
      last(15_000);
      racks.between().block(rack, false);
    }
    disturbAll();
    cluster.awaitMembers();
    return "partition of " + rack;
  }

  private String disturb(@Nullable RackNetwork racks, String rack) {
    int millis = random.nextInt(30);
    double loss = random.nextInt(5) / 100.0;
    if (racks != null) {
      racks.between().disturb(rack, millis, loss);
      last(10_000);
      racks.between().disturb(rack, 0, 0);
    }
    cluster.awaitMembers();
    return "%d ms and %.0f %% loss of %s".formatted(millis, 100 * loss, rack);
  }
}
