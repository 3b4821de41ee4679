package dev.ebb.llama.server;

import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.scheduler.Batch;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.binding.TokenBatch;
import dev.ebb.server.completion.Completion;
import dev.ebb.server.completion.CompletionEngine;
import dev.ebb.server.completion.CompletionMetrics;
import dev.ebb.server.completion.CompletionOptions;
import java.util.concurrent.BlockingQueue;

/** Computes completions with llama.cpp, those of a step together. */
final class LlamaEngine extends CompletionEngine<LlamaCompletion> {

  private final LlamaModel model;
  private final LlamaContext context;
  private final int batchTokens;
  private final SequenceCells cells;
  private final CompletionMetrics counters;
  private final TokenBatch work = new TokenBatch();
  private int[] lastTokens = new int[16];

  /** Starts the engine. */
  LlamaEngine(
      LlamaModel model,
      LlamaContext context,
      Ebb ebb,
      SequenceCells cells,
      SchedulerOptions options,
      CompletionMetrics counters,
      Runnable onFailure) {
    super("llama.cpp", model, options, new CellMemory(ebb, cells), ebb.preemptionPolicy());
    this.model = model;
    this.context = context;
    batchTokens = options.maxBatchedTokens();
    this.cells = cells;
    this.counters = counters;
    start(onFailure);
  }

  @Override
  protected Completion completion(
      SequenceRequest prompt,
      CompletionOptions options,
      int index,
      BlockingQueue<Completion.Event> events) {
    return new LlamaCompletion(this, model, prompt, options, index, events);
  }

  @Override
  protected void step(Batch<LlamaCompletion> batch) {
    fill(batch);
    decode(batch);
  }

  @Override
  protected void interrupt() {
    context.stop();
  }

  private void fill(Batch<LlamaCompletion> batch) {
    work.clear();
    if (lastTokens.length < batch.size()) {
      lastTokens = new int[2 * batch.size()];
    }
    for (int i = 0; i < batch.size(); i++) {
      LlamaCompletion completion = batch.request(i).payload();
      int first = batch.firstToken(i);
      int count = batch.tokens(i);
      completion.start(Math.min(first, completion.promptTokens()));
      for (int k = 0; k < count; k++) {
        boolean output = k == count - 1 && batch.samples(i);
        work.add(completion.token(first + k), first + k, completion.branch().id(), output);
      }
      lastTokens[i] = work.size() - 1;
      counters.computed(
          Math.max(0, Math.min(first + count, completion.promptTokens()) - first), count);
    }
  }

  private void decode(Batch<LlamaCompletion> batch) {
    int done = 0;
    int request = 0;
    while (done < work.size()) {
      int end = pause(batch, done, done + room(work.size() - done));
      if (!context.decode(work, done, end)) {
        throw new IllegalStateException("no free cells were found although some are free");
      }
      computed(batch, done, end);
      for (; request < batch.size() && lastTokens[request] < end; request++) {
        if (batch.samples(request)) {
          sample(batch, request, lastTokens[request] - done);
        }
      }
      done = end;
    }
  }

  /** Returns the end of the tokens to compute now, of those that have room. */
  private int pause(Batch<LlamaCompletion> batch, int from, int to) {
    int end = to;
    for (int i = 0; i < batch.size(); i++) {
      int first = Math.max(from, i == 0 ? 0 : lastTokens[i - 1] + 1);
      int last = Math.min(end - 1, lastTokens[i]);
      if (first <= last) {
        LlamaCompletion completion = batch.request(i).payload();
        int position = work.position(first);
        int all = position + last - first + 1;
        int pause = cells.pause(completion, position, all);
        end = pause < all || !cells.computesTogether() ? first + pause - position : end;
        cells.computing(completion);
      }
    }
    return end;
  }

  private void computed(Batch<LlamaCompletion> batch, int from, int to) {
    for (int i = 0; i < batch.size(); i++) {
      int last = Math.min(to - 1, lastTokens[i]);
      if (last >= Math.max(from, i == 0 ? 0 : lastTokens[i - 1] + 1)) {
        cells.computed(batch.request(i).payload(), work.position(last) + 1);
      }
    }
  }

  private void sample(Batch<LlamaCompletion> batch, int request, int index) {
    int token;
    try {
      token = batch.request(request).payload().sampler().next(context, index);
    } catch (IllegalStateException none) {
      batch.fail(request, String.valueOf(none.getMessage()));
      return;
    }
    take(batch, request, token, () -> context.logits(index));
  }

  /** Returns how many of the wanted tokens can be computed together. They need adjacent cells. */
  private int room(int wanted) {
    int limit = Math.min(wanted, batchTokens);
    return Math.min(limit, context.makeRoom(limit, counters::compacted));
  }
}
