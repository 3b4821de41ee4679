package dev.ebb.host.store;

import dev.ebb.host.cache.RequestFacts;
import dev.ebb.spi.RemovalCause;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The labels in an engine's key.
 *
 * @param tenant the tenant; null if the key has none
 * @param partition the index of its part of the pool
 * @param uses uses of the model and by the tenant, as far as there are any
 * @param firstRank the lowest rank seen in keys of the model
 * @param group the object group of a client that looks all chunks of a prompt up at once, over
 *     several connections; null of other clients
 */
record KeyLabels(
    @Nullable String model,
    int rank,
    @Nullable String tenant,
    RequestFacts facts,
    int partition,
    List<UseCounters> uses,
    AtomicInteger firstRank,
    @Nullable String group) {

  static final KeyLabels NONE =
      new KeyLabels(
          null, -1, null, RequestFacts.UNKNOWN, 0, List.of(), new AtomicInteger(-1), null);

  /**
   * Returns whether what a client does with a key, of these labels, stands for what it does with
   * the keys of all ranks: each of them looks up, reads and stores the same chunks.
   */
  boolean standsFor(ObjectKey key) {
    return !key.sharded() || rank <= firstRank.get();
  }

  /** Returns whether the keys are of a client that looks all chunks of a prompt up at once. */
  boolean tiled() {
    return group != null;
  }

  void hit() {
    for (UseCounters use : uses) {
      use.hits.increment();
    }
  }

  void missed() {
    for (UseCounters use : uses) {
      use.misses.increment();
    }
  }

  void stored(long units) {
    for (UseCounters use : uses) {
      use.added(units);
    }
  }

  void removed(long units, RemovalCause cause) {
    for (UseCounters use : uses) {
      use.removed(units, cause);
    }
  }
}
