package dev.ebb.host.cluster.simulation;

import dev.ebb.host.cluster.directory.Node;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The work of each network card, uplink and directory owner during one event. Each works without
 * pauses, so that the slowest one determines the time.
 */
final class SimulatedLoad {

  private final Map<Node, Double> sent = new HashMap<>();
  private final Map<Node, Double> received = new HashMap<>();
  private final Map<String, Double> up = new HashMap<>();
  private final Map<String, Double> down = new HashMap<>();
  private double directory;
  private long transfers;
  private long bytes;

  void transfer(Node from, Node to, long size) {
    transfers++;
    bytes += size;
    sent.merge(from, (double) size, Double::sum);
    received.merge(to, (double) size, Double::sum);
    if (!rack(from).equals(rack(to))) {
      up.merge(rack(from), (double) size, Double::sum);
      down.merge(rack(to), (double) size, Double::sum);
    }
  }

  /** Counts directory operations, which all nodes share evenly. */
  void directory(long operations) {
    directory += operations;
  }

  long transfers() {
    return transfers;
  }

  long bytes() {
    return bytes;
  }

  /** Returns the busy time of the slowest part of each kind. */
  Map<SimulatedLimit, Double> seconds(SimulatedLimits limits, int nodes) {
    return Map.of(
        SimulatedLimit.DIRECTORY, directory / nodes / limits.directoryPerSecond(),
        SimulatedLimit.SENDER, most(sent.values()) / limits.sendBytesPerSecond(),
        SimulatedLimit.RECEIVER, most(received.values()) / limits.receiveBytesPerSecond(),
        SimulatedLimit.UPLINK_OUT, most(up.values()) / limits.uplinkBytesPerSecond(),
        SimulatedLimit.UPLINK_IN, most(down.values()) / limits.uplinkBytesPerSecond());
  }

  private static double most(Collection<Double> amounts) {
    return amounts.stream().mapToDouble(Double::doubleValue).max().orElse(0);
  }

  private static String rack(Node node) {
    return node.zone() + "/" + node.rack();
  }
}
