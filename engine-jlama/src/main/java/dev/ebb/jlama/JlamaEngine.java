package dev.ebb.jlama;

import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.scheduler.Batch;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.server.completion.Completion;
import dev.ebb.server.completion.CompletionEngine;
import dev.ebb.server.completion.CompletionMemory;
import dev.ebb.server.completion.CompletionMetrics;
import dev.ebb.server.completion.CompletionOptions;
import java.util.concurrent.BlockingQueue;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Computes completions with Jlama, those of a step one after the other. */
final class JlamaEngine extends CompletionEngine<JlamaCompletion> {

  private static final Logger LOG = LoggerFactory.getLogger(JlamaEngine.class);

  private final JlamaModel model;
  private final CompletionMetrics counters;
  private final int blockTokens;
  private final float[] logits;

  /** Starts the engine. */
  JlamaEngine(
      JlamaModel model,
      Ebb ebb,
      SchedulerOptions options,
      CompletionMetrics counters,
      Runnable onFailure) {
    super("Jlama", model, options, new CompletionMemory<>(ebb), ebb.preemptionPolicy());
    this.model = model;
    this.counters = counters;
    blockTokens = ebb.pool().layout().blockTokens();
    logits = new float[model.vocabulary()];
    start(onFailure);
  }

  @Override
  protected Completion completion(
      SequenceRequest prompt,
      CompletionOptions options,
      int index,
      BlockingQueue<Completion.Event> events) {
    return new JlamaCompletion(this, prompt, options, index, events);
  }

  @Override
  protected void step(Batch<JlamaCompletion> batch) {
    for (int i = 0; i < batch.size(); i++) {
      try {
        compute(batch, i);
      } catch (RuntimeException failed) {
        LOG.error("a request failed", failed);
        batch.fail(i, "Jlama failed: " + failed.getMessage());
      }
    }
  }

  private void compute(Batch<JlamaCompletion> batch, int index) {
    JlamaCompletion completion = batch.request(index).payload();
    int first = batch.firstToken(index);
    int count = batch.tokens(index);
    int prompt = completion.promptTokens();
    completion.start(Math.min(first, prompt));
    int[] tokens = IntStream.range(first, first + count).map(completion::token).toArray();
    JlamaSequence sequence = completion.computed(model, blockTokens);
    counters.computed(Math.max(0, Math.min(first + count, prompt) - first), count);
    if (batch.samples(index)) {
      sequence.compute(first, tokens, logits);
      take(batch, index, completion.chooser().next(logits), () -> logits);
    } else {
      sequence.compute(first, tokens);
    }
  }
}
