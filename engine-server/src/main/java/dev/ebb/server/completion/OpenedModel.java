package dev.ebb.server.completion;

import dev.ebb.host.device.Device;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.tier.PageBytes;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.server.model.ServedModel;
import org.jspecify.annotations.Nullable;

/** A model that can be computed, and the memory of its KV cache. */
public interface OpenedModel {

  /** Returns the vocabulary. */
  ServedModel model();

  /** Returns the shape of a block. */
  KvLayout layout();

  /** Returns the device of the pool. */
  Device device();

  /** Returns the size of the pool. */
  long bytes();

  /** Returns the most tokens of prompt and answer. */
  int contextTokens();

  /** Adds what the model needs to the options of its Ebb. */
  default EbbOptions with(EbbOptions options) {
    return options;
  }

  /** Returns what copies pages, before the model computes; null for those of the pool. */
  default @Nullable PageBytes pages() {
    return null;
  }

  /**
   * Starts to compute.
   *
   * @param onFailure called if the engine ends by itself
   */
  CompletionEngine<?> start(
      Ebb ebb, SchedulerOptions options, CompletionMetrics counters, Runnable onFailure);
}
