package dev.ebb.host.cluster;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cluster.placement.ValueState;
import java.util.List;

/**
 * Where a value is.
 *
 * @param expiresAt wall-clock milliseconds, or {@code Long.MAX_VALUE}
 * @param primary the name of the node with its primary copy; empty if it has none
 * @param replicas the names of the other nodes with a copy
 */
public record ValuePlace(
    ValueState state,
    long version,
    long bytes,
    int crc32c,
    long expiresAt,
    boolean immutable,
    String primary,
    List<String> replicas) {

  public ValuePlace {
    requireNonNull(state, "state is null");
    replicas = List.copyOf(replicas);
  }
}
