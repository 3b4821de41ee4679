package dev.ebb.host.cluster;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * Where a value is.
 *
 * @param state {@code ACTIVE}, {@code REPLICATING} while copies are missing, {@code DELETED}
 * @param expiresAt wall-clock milliseconds, or {@code Long.MAX_VALUE}
 * @param primary the name of the node with its primary copy; empty if it is deleted
 * @param replicas the names of the other nodes with a copy
 */
public record ValuePlace(
    State state,
    long version,
    long bytes,
    int crc32c,
    long expiresAt,
    boolean immutable,
    String primary,
    List<String> replicas) {

  /** The state of a value in the cluster. */
  public enum State {
    /** All its copies exist. */
    ACTIVE,
    /** Copies are missing. */
    REPLICATING,
    /** A client deleted it lately. */
    DELETED
  }

  public ValuePlace {
    requireNonNull(state, "state is null");
    replicas = List.copyOf(replicas);
  }
}
