package dev.ebb.host.store;

import dev.ebb.host.cache.RequestFacts;
import dev.ebb.spi.RemovalCause;
import org.jspecify.annotations.Nullable;

/**
 * The labels in an engine's key.
 *
 * @param tenant the tenant; null if the key has none
 * @param partition the index of its part of the pool
 * @param ofTenant uses by the tenant; null without one
 * @param ofModel uses of the model; null for a key without labels
 */
record KeyLabels(
    @Nullable String model,
    int rank,
    @Nullable String tenant,
    RequestFacts facts,
    int partition,
    @Nullable UseCounters ofTenant,
    @Nullable UseCounters ofModel) {

  static final KeyLabels NONE = new KeyLabels(null, -1, null, RequestFacts.UNKNOWN, 0, null, null);

  void hit() {
    if (ofModel != null) {
      ofModel.hits.increment();
    }
    if (ofTenant != null) {
      ofTenant.hits.increment();
    }
  }

  void missed() {
    if (ofModel != null) {
      ofModel.misses.increment();
    }
    if (ofTenant != null) {
      ofTenant.misses.increment();
    }
  }

  void stored(long units) {
    if (ofModel != null) {
      ofModel.entered(units);
    }
    if (ofTenant != null) {
      ofTenant.entered(units);
    }
  }

  void left(long units, RemovalCause cause) {
    if (ofModel != null) {
      ofModel.left(units, cause);
    }
    if (ofTenant != null) {
      ofTenant.left(units, cause);
    }
  }
}
