package dev.ebb.host.cluster;

import dev.ebb.host.cluster.placement.ValueState;
import java.util.Map;

/**
 * Values by their state.
 *
 * @param unknown entries of values that no live node has
 * @param replicating values with missing copies
 * @param active values with all their copies
 * @param migrating values of which a copy has to leave its node
 * @param evicted values that only replicas hold
 * @param deleted values whose deletion the directory remembers
 */
public record ValueCounts(
    long unknown, long replicating, long active, long migrating, long evicted, long deleted) {

  public static final ValueCounts NONE = new ValueCounts(0, 0, 0, 0, 0, 0);

  public long of(ValueState state) {
    return switch (state) {
      case UNKNOWN -> unknown;
      case REPLICATING -> replicating;
      case ACTIVE -> active;
      case MIGRATING -> migrating;
      case EVICTED -> evicted;
      case DELETED -> deleted;
    };
  }

  static ValueCounts of(Map<ValueState, Long> byState) {
    return new ValueCounts(
        byState.getOrDefault(ValueState.UNKNOWN, 0L),
        byState.getOrDefault(ValueState.REPLICATING, 0L),
        byState.getOrDefault(ValueState.ACTIVE, 0L),
        byState.getOrDefault(ValueState.MIGRATING, 0L),
        byState.getOrDefault(ValueState.EVICTED, 0L),
        byState.getOrDefault(ValueState.DELETED, 0L));
  }
}
