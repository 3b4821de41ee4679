package dev.ebb.server.completion;

import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.scheduler.Batch;
import dev.ebb.host.scheduler.BatchEngine;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.host.scheduler.ScheduledRequest;
import dev.ebb.host.scheduler.Scheduler;
import dev.ebb.host.scheduler.SchedulerLoop;
import dev.ebb.host.scheduler.SchedulerMemory;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.scheduler.Submission;
import dev.ebb.server.model.ServedModel;
import dev.ebb.spi.PreemptionPolicy;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Computes completions with continuous batching, on a thread of its own.
 *
 * @param <C> its completions
 */
public abstract class CompletionEngine<C extends Completion>
    implements BatchEngine<C>, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CompletionEngine.class);
  private static final String STOPPING = "the server is stopping; try again later";

  /** The wait for memory that operators hold, while requests wait for it. */
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A completion that arrives or is cancelled; null to wake the engine. */
  private record Arrival<C>(@Nullable C completion, boolean cancelled) {}

  private final String name;
  private final byte[][] pieces;
  private final BitSet ends = new BitSet();
  private final Scheduler<C> scheduler;
  private final BlockingQueue<Arrival<C>> inbox = new LinkedBlockingQueue<>();
  private final Map<C, ScheduledRequest<C>> live = new LinkedHashMap<>();
  private @Nullable Arrival<C> next;
  private volatile boolean closing;
  private volatile boolean ended;
  private @Nullable Thread thread;

  /**
   * Creates an engine, which does not run yet.
   *
   * @param name that of its library, for messages
   */
  protected CompletionEngine(
      String name,
      ServedModel model,
      SchedulerOptions options,
      SchedulerMemory<C> memory,
      PreemptionPolicy preemption) {
    this.name = name;
    pieces = new byte[model.vocabulary()][];
    for (int token = 0; token < pieces.length; token++) {
      pieces[token] = model.piece(token);
      ends.set(token, model.endsGeneration(token));
    }
    scheduler = new Scheduler<>(options, memory, preemption, this::ended);
  }

  /**
   * Starts the thread.
   *
   * @param onFailure called if the engine ends by itself
   */
  protected final void start(Runnable onFailure) {
    thread = Thread.ofPlatform().name("ebb-" + name).start(() -> run(onFailure));
  }

  /**
   * Creates a completion, which is not submitted yet.
   *
   * @param index its number among those of the request
   * @throws IllegalArgumentException if its format is not supported
   */
  protected abstract Completion completion(
      SequenceRequest prompt,
      CompletionOptions options,
      int index,
      BlockingQueue<Completion.Event> events);

  /** Computes a step. An exception fails all its requests. */
  protected abstract void step(Batch<C> batch);

  /** Ends the current step early, if that is possible. */
  protected void interrupt() {
    // It ends by itself.
  }

  private void run(Runnable onFailure) {
    try {
      new SchedulerLoop<>(scheduler, this).run();
    } catch (Throwable failed) {
      LOG.error("the engine has ended", failed);
    }
    ended = true;
    try {
      List.copyOf(live.keySet()).forEach(completion -> completion.end(EndReason.FAILED, STOPPING));
      live.clear();
      refuseArrivals();
    } finally {
      if (!closing) {
        onFailure.run();
      }
    }
  }

  /** Returns whether the engine takes completions. */
  final boolean running() {
    return !ended && !closing;
  }

  /** Starts a completion; its events say how it goes. */
  public final void submit(C completion) {
    inbox.add(new Arrival<>(completion, false));
    if (ended) {
      refuseArrivals();
    }
  }

  /** Cancels a completion, unless it has ended. */
  public final void cancel(C completion) {
    if (!ended) {
      inbox.add(new Arrival<>(completion, true));
    }
  }

  private void refuseArrivals() {
    for (Arrival<C> late = inbox.poll(); late != null; late = inbox.poll()) {
      if (late.completion != null && !late.cancelled) {
        late.completion.end(EndReason.CANCELLED, STOPPING);
      }
    }
  }

  @Override
  public final long now() {
    return System.nanoTime();
  }

  @Override
  public final void receive(Scheduler<C> requests) {
    Arrival<C> arrival = next == null ? inbox.poll() : next;
    next = null;
    while (arrival != null) {
      C completion = arrival.completion;
      if (completion != null && arrival.cancelled) {
        cancel(requests, completion);
      } else if (completion != null) {
        submit(requests, completion);
      }
      arrival = inbox.poll();
    }
    if (closing) {
      List.copyOf(live.keySet()).forEach(completion -> cancel(requests, completion));
    }
  }

  private void submit(Scheduler<C> requests, C completion) {
    CompletionOptions options = completion.options();
    ScheduledRequest<C> request =
        requests.submit(
            new Submission<>(
                completion,
                completion.promptTokens(),
                options.maxTokens(),
                options.priority(),
                options.tenant()),
            now());
    if (request.endReason() == null) {
      live.put(completion, request);
    }
  }

  private void cancel(Scheduler<C> requests, C completion) {
    ScheduledRequest<C> request = live.get(completion);
    if (request != null) {
      requests.cancel(request);
    }
  }

  private void ended(ScheduledRequest<C> request) {
    C completion = request.payload();
    EndReason reason = request.endReason() == null ? EndReason.FAILED : request.endReason();
    live.remove(completion);
    completion.end(
        reason,
        reason == EndReason.CANCELLED && closing ? STOPPING : request.endMessage(),
        reason == EndReason.FINISHED ? request.latencyNanos() : -1);
  }

  @Override
  public final void compute(Batch<C> batch) {
    try {
      step(batch);
    } catch (CancellationException stopped) {
      fail(batch, STOPPING);
    } catch (RuntimeException failed) {
      LOG.error("a step of '{}' requests failed", batch.size(), failed);
      fail(batch, name + " failed: " + failed.getMessage());
    }
  }

  private static void fail(Batch<?> batch, String message) {
    for (int i = 0; i < batch.size(); i++) {
      batch.fail(i, message);
    }
  }

  /**
   * Adds a token to the answer of a request, and ends it if it is complete.
   *
   * @param logits those that the token was chosen by, without temperature and penalties
   */
  protected final void take(Batch<C> batch, int request, int token, Supplier<float[]> logits) {
    C completion = batch.request(request).payload();
    CompletionOptions options = completion.options();
    boolean end = ends.get(token) && !options.ignoreEnd();
    if (options.logprobs() >= 0 && !end) {
      completion.add(TokenLogprobs.of(logits.get(), token, options.logprobs(), pieces));
    }
    if (completion.take(token, pieces[token], end)) {
      batch.finish(request);
    }
  }

  @Override
  public final boolean await(long nanos) {
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
    interrupt();
    inbox.add(new Arrival<>(null, false));
    boolean interrupted = false;
    Thread running = thread;
    while (running != null && running.isAlive()) {
      try {
        running.join();
      } catch (InterruptedException later) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
