package dev.ebb.llama.server;

import dev.ebb.host.engine.BlockUse;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.PoolMap;
import dev.ebb.host.scheduler.Batch;
import dev.ebb.host.scheduler.BatchEngine;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.host.scheduler.ScheduledRequest;
import dev.ebb.host.scheduler.Scheduler;
import dev.ebb.host.scheduler.SchedulerLoop;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.scheduler.Submission;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.binding.TokenBatch;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Computes completions with continuous batching, on a thread of its own. */
final class LlamaEngine implements BatchEngine<Completion>, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LlamaEngine.class);
  private static final String STOPPING = "the server is stopping; try again later";

  /** The wait for memory that operators hold, while requests wait for it. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** llama.cpp moves a limited number of cells at a time. */
  private static final int MOST_COMPACTIONS = 8;

  /** A completion that arrives or is cancelled; null to wake the engine. */
  private record Arrival(@Nullable Completion completion, boolean cancelled) {}

  private final LlamaContext context;
  private final int batchTokens;
  private final Ebb ebb;
  private final SequenceCells cells;
  private final CompletionMetrics counters;
  private final byte[][] pieces;
  private final BitSet ends = new BitSet();
  private final Scheduler<Completion> scheduler;
  private final BlockingQueue<Arrival> inbox = new LinkedBlockingQueue<>();
  private final Set<Completion> live = new LinkedHashSet<>();
  private final TokenBatch work = new TokenBatch();
  private int[] lastTokens = new int[16];
  private @Nullable Arrival next;
  private volatile boolean closing;
  private volatile boolean ended;
  private final Thread thread;

  /**
   * Starts the engine.
   *
   * @param onFailure called if the engine ends by itself
   */
  LlamaEngine(
      LlamaModel model,
      LlamaContext context,
      int batchTokens,
      Ebb ebb,
      SequenceCells cells,
      SchedulerOptions options,
      CompletionMetrics counters,
      Runnable onFailure) {
    this.context = context;
    this.batchTokens = batchTokens;
    this.ebb = ebb;
    this.cells = cells;
    this.counters = counters;
    pieces = new byte[model.shape().vocabulary()][];
    for (int token = 0; token < pieces.length; token++) {
      pieces[token] = model.piece(token);
      ends.set(token, model.endsGeneration(token));
    }
    scheduler =
        new Scheduler<>(options, new CellMemory(ebb, cells), ebb.preemptionPolicy(), this::ended);
    thread = Thread.ofPlatform().name("ebb-llama").start(() -> run(onFailure));
  }

  private void run(Runnable onFailure) {
    try {
      new SchedulerLoop<>(scheduler, this).run();
    } catch (Throwable failed) {
      LOG.error("the engine has ended", failed);
    }
    ended = true;
    try {
      List.copyOf(live).forEach(completion -> completion.end(EndReason.FAILED, STOPPING));
      live.clear();
      refuseArrivals();
    } finally {
      if (!closing) {
        onFailure.run();
      }
    }
  }

  /** Returns whether the engine takes completions. */
  boolean running() {
    return !ended && !closing;
  }

  /** Starts a completion; its events say how it goes. */
  void submit(Completion completion) {
    inbox.add(new Arrival(completion, false));
    if (ended) {
      refuseArrivals();
    }
  }

  /** Cancels a completion, unless it has ended. */
  void cancel(Completion completion) {
    if (!ended) {
      inbox.add(new Arrival(completion, true));
    }
  }

  private void refuseArrivals() {
    for (Arrival late = inbox.poll(); late != null; late = inbox.poll()) {
      if (late.completion != null && !late.cancelled) {
        late.completion.end(EndReason.CANCELLED, STOPPING);
      }
    }
  }

  @Override
  public long now() {
    return System.nanoTime();
  }

  @Override
  public void receive(Scheduler<Completion> requests) {
    Arrival arrival = next == null ? inbox.poll() : next;
    next = null;
    while (arrival != null) {
      Completion completion = arrival.completion;
      if (completion != null && arrival.cancelled) {
        cancel(requests, completion);
      } else if (completion != null) {
        submit(requests, completion);
      }
      arrival = inbox.poll();
    }
    if (closing) {
      List.copyOf(live).forEach(completion -> cancel(requests, completion));
    }
  }

  private void submit(Scheduler<Completion> requests, Completion completion) {
    CompletionOptions options = completion.options();
    live.add(completion);
    completion.request =
        requests.submit(
            new Submission<>(
                completion,
                completion.promptTokens(),
                options.maxTokens(),
                options.priority(),
                options.tenant()),
            now());
  }

  private static void cancel(Scheduler<Completion> requests, Completion completion) {
    if (completion.request != null) {
      requests.cancel(completion.request);
    }
  }

  private void ended(ScheduledRequest<Completion> request) {
    Completion completion = request.payload();
    EndReason reason = request.endReason() == null ? EndReason.FAILED : request.endReason();
    live.remove(completion);
    completion.end(
        reason, reason == EndReason.CANCELLED && closing ? STOPPING : request.endMessage());
  }

  @Override
  public void compute(Batch<Completion> batch) {
    try {
      fill(batch);
      decode(batch);
    } catch (CancellationException stopped) {
      fail(batch, STOPPING);
    } catch (RuntimeException failed) {
      LOG.error("a step of '{}' requests failed", batch.size(), failed);
      fail(batch, "llama.cpp failed: " + failed.getMessage());
    }
  }

  private static void fail(Batch<Completion> batch, String message) {
    for (int i = 0; i < batch.size(); i++) {
      batch.fail(i, message);
    }
  }

  private void fill(Batch<Completion> batch) {
    work.clear();
    if (lastTokens.length < batch.size()) {
      lastTokens = new int[2 * batch.size()];
    }
    for (int i = 0; i < batch.size(); i++) {
      Completion completion = batch.request(i).payload();
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

  private void decode(Batch<Completion> batch) {
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
  private int pause(Batch<Completion> batch, int from, int to) {
    int end = to;
    for (int i = 0; i < batch.size(); i++) {
      int first = Math.max(from, i == 0 ? 0 : lastTokens[i - 1] + 1);
      int last = Math.min(end - 1, lastTokens[i]);
      if (first <= last) {
        Completion completion = batch.request(i).payload();
        int position = work.position(first);
        int all = position + last - first + 1;
        int pause = cells.pause(completion, position, all);
        end = pause < all || !cells.computesTogether() ? first + pause - position : end;
        cells.computing(completion);
      }
    }
    return end;
  }

  private void computed(Batch<Completion> batch, int from, int to) {
    for (int i = 0; i < batch.size(); i++) {
      int last = Math.min(to - 1, lastTokens[i]);
      if (last >= Math.max(from, i == 0 ? 0 : lastTokens[i - 1] + 1)) {
        cells.computed(batch.request(i).payload(), work.position(last) + 1);
      }
    }
  }

  private void sample(Batch<Completion> batch, int request, int index) {
    Completion completion = batch.request(request).payload();
    int token;
    try {
      token = completion.sampler().next(context, index);
    } catch (IllegalStateException none) {
      batch.fail(request, String.valueOf(none.getMessage()));
      return;
    }
    CompletionOptions options = completion.options();
    boolean end = ends.get(token) && !options.ignoreEnd();
    if (options.logprobs() >= 0 && !end) {
      completion.add(TokenLogprobs.of(context.logits(index), token, options.logprobs(), pieces));
    }
    if (completion.take(token, pieces[token], end)) {
      batch.finish(request);
    }
  }

  /** Returns how many of the wanted tokens can be computed together. They need adjacent cells. */
  private int room(int wanted) {
    int limit = Math.min(wanted, batchTokens);
    int free = context.longestFree();
    if (free < limit) {
      cells.sweep(() -> {
        PoolMap map = ebb.pool().map();
        return block -> map.use(block) == BlockUse.FREE;
      });
      free = context.longestFree();
    }
    for (int i = 0; free < limit && i < MOST_COMPACTIONS; i++) {
      int before = free;
      if (!context.compact()) {
        break;
      }
      counters.compacted();
      free = context.longestFree();
      if (free == before) {
        break;
      }
    }
    if (free == 0) {
      throw new IllegalStateException("all cells are used");
    }
    return Math.min(limit, free);
  }

  @Override
  public boolean await(long nanos) {
    if (closing) {
      // The arrival that wakes this thread may have been received already.
      return false;
    }
    boolean waiting = scheduler.queued() + scheduler.preempted() > 0;
    try {
      next = inbox.poll(waiting ? Math.min(nanos, RETRY_NANOS) : nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException byAPlugin) {
      // Only close() ends the engine.
    }
    return !closing;
  }

  /** Cancels all completions, and waits until the current step has ended. */
  @Override
  public void close() {
    closing = true;
    context.stop();
    inbox.add(new Arrival(null, false));
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException later) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
