package dev.ebb.host.cluster.simulation;

import java.util.Map;

/**
 * The outcome of one event in a simulated cluster.
 *
 * @param valuesLost values without any copy
 * @param incomplete values with fewer copies than possible afterwards, or on fewer racks
 * @param copies copies made
 * @param bytes their bytes
 * @param directoryOperations reads and updates of directory entries
 * @param seconds the time until all copies are made
 * @param busySeconds how long the slowest part of each kind worked
 * @param decisions how often a node decided
 */
public record SimulatedEvent(
    long valuesLost,
    long incomplete,
    long copies,
    long bytes,
    long directoryOperations,
    double seconds,
    Map<SimulatedLimit, Double> busySeconds,
    long decisions) {

  public SimulatedEvent {
    busySeconds = Map.copyOf(busySeconds);
  }

  /** Returns the part that determined the time. */
  public SimulatedLimit limit() {
    return busySeconds.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
  }
}
