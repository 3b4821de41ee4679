package dev.ebb.jlama;

import dev.ebb.host.device.Device;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.server.completion.CompletionMetrics;
import dev.ebb.server.completion.OpenedModel;

/** A model of Jlama, and the memory of the blocks that it computes in. */
record JlamaMemory(JlamaModel model, KvLayout layout, Device device, long bytes, int contextTokens)
    implements OpenedModel {

  @Override
  public JlamaEngine start(
      Ebb ebb, SchedulerOptions options, CompletionMetrics counters, Runnable onFailure) {
    return new JlamaEngine(model, ebb, options, counters, onFailure);
  }
}
