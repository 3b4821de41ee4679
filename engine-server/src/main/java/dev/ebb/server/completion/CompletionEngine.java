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
import dev.ebb.server.peer.PrefillRule;
import dev.ebb.spi.PreemptionPolicy;
import java.net.URI;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
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

  /** What the engine does between two steps. */
  private interface Arrival<C> {
    void receive(Scheduler<C> requests);

    /** Called in place of it if the engine has ended. */
    default void refuse() {}
  }

  private final String name;
  private final byte[][] pieces;
  private final BitSet ends = new BitSet();
  private final Scheduler<C> scheduler;
  private final BlockingQueue<Arrival<C>> inbox = new LinkedBlockingQueue<>();
  private final Map<C, ScheduledRequest<C>> live = new LinkedHashMap<>();

  /** The completions that go on in other engines. */
  private final Map<Completion, Relay> moved = new LinkedHashMap<>();

  private final AtomicLong lastId = new AtomicLong();
  private @Nullable Arrival<C> next;
  private volatile boolean closing;
  private volatile boolean ended;
  private volatile @Nullable PrefillRule measured;
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

  /** Starts a completion, or goes on with one; its events say how it goes. */
  public final void submit(C completion) {
    if (completion.id == 0) {
      completion.id = lastId.incrementAndGet();
    }
    add(
        new Arrival<>() {
          @Override
          public void receive(Scheduler<C> requests) {
            submit(requests, completion);
          }

          @Override
          public void refuse() {
            completion.end(EndReason.CANCELLED, STOPPING);
          }
        });
  }

  /** Cancels a completion, unless it has ended. */
  public final void cancel(C completion) {
    add(requests -> cancel(requests, completion));
  }

  /**
   * Does something between two steps, on the engine's thread.
   *
   * @throws CancellationException if the engine has ended
   */
  final <T> T between(Supplier<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    add(
        new Arrival<>() {
          @Override
          public void receive(Scheduler<C> requests) {
            try {
              result.complete(work.get());
            } catch (RuntimeException failed) {
              result.completeExceptionally(failed);
            }
          }

          @Override
          public void refuse() {
            result.completeExceptionally(new CancellationException(STOPPING));
          }
        });
    try {
      return result.join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw failed;
    }
  }

  private void add(Arrival<C> arrival) {
    inbox.add(arrival);
    if (ended) {
      refuseArrivals();
    }
  }

  private void refuseArrivals() {
    for (Arrival<C> late = inbox.poll(); late != null; late = inbox.poll()) {
      late.refuse();
    }
  }

  // The next four between two steps.

  /** Returns the completions that run or wait here. */
  final List<Completion> live() {
    return List.copyOf(live.keySet());
  }

  /** Returns the completions that go on in other engines, and where. */
  final Map<Completion, URI> moved() {
    Map<Completion, URI> targets = new LinkedHashMap<>();
    moved.forEach((completion, relay) -> targets.put(completion, relay.target()));
    return targets;
  }

  /**
   * Withdraws a completion, whose blocks stay cached. It ends, or {@link #submit} goes on with it.
   *
   * @param relay goes on with it
   * @return false if it has ended, or moved before
   */
  final boolean withdraw(Completion completion, Relay relay) {
    ScheduledRequest<C> request = live.get(completion);
    if (request == null) {
      return false;
    }
    moved.put(completion, relay);
    return scheduler.withdraw(request);
  }

  /** Goes on in another engine. */
  interface Relay {
    /** Ends it soon, because the completion is cancelled. */
    void cancel();

    boolean cancelled();

    /** Returns the other engine. */
    URI target();
  }

  /**
   * Takes a token that another engine has chosen for a completion that has moved.
   *
   * @return whether the answer is complete
   */
  final boolean take(Completion completion, int token, @Nullable TokenLogprobs logprobs) {
    check(token);
    completion.chosen(token);
    if (logprobs != null) {
      completion.add(logprobs);
    }
    boolean end = ends.get(token) && !completion.options().ignoreEnd();
    return completion.take(token, pieces[token], end)
        || completion.answerTokens() == completion.options().maxTokens();
  }

  /**
   * Checks tokens that another engine has sent.
   *
   * @throws IllegalArgumentException if the model does not have one
   */
  final void check(int... tokens) {
    for (int token : tokens) {
      if (token < 0 || token >= pieces.length) {
        throw new IllegalArgumentException("'%d' is not a token of the model".formatted(token));
      }
    }
  }

  /** Ends a completion that has moved, and is complete. */
  final void complete(Completion completion) {
    completion.end(EndReason.FINISHED, "", System.nanoTime() - completion.arrivedNanos);
    add(requests -> moved.remove(completion));
  }

  /** Prepares a completion that another engine has begun. */
  final void goOn(Completion completion, int... answer) {
    check(completion.prompt());
    check(answer);
    completion.goOn(answer, pieces);
  }

  /** Reports each step to a rule that compares engines. */
  final void measure(PrefillRule rule) {
    measured = rule;
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
      arrival.receive(requests);
      arrival = inbox.poll();
    }
    if (closing) {
      List.copyOf(live.keySet()).forEach(completion -> cancel(requests, completion));
      moved.values().forEach(Relay::cancel);
    }
  }

  private void submit(Scheduler<C> requests, C completion) {
    Relay relay = moved.remove(completion);
    if (relay != null && relay.cancelled()) {
      completion.end(EndReason.CANCELLED, closing ? STOPPING : "");
      return;
    }
    CompletionOptions options = completion.options();
    ScheduledRequest<C> request =
        requests.submit(
            new Submission<>(
                completion,
                completion.length(),
                options.maxTokens() - completion.answerTokens(),
                options.priority(),
                options.tenant()),
            now());
    if (request.endReason() == null) {
      live.put(completion, request);
    }
  }

  private void cancel(Scheduler<C> requests, C completion) {
    ScheduledRequest<C> request = live.get(completion);
    Relay relay = moved.get(completion);
    if (request != null) {
      requests.cancel(request);
    } else if (relay != null) {
      relay.cancel();
    }
  }

  private void ended(ScheduledRequest<C> request) {
    C completion = request.payload();
    EndReason reason = request.endReason() == null ? EndReason.FAILED : request.endReason();
    live.remove(completion);
    if (reason == EndReason.MOVED) {
      return;
    }
    completion.end(
        reason,
        reason == EndReason.CANCELLED && closing ? STOPPING : request.endMessage(),
        reason == EndReason.FINISHED ? request.latencyNanos() : -1);
  }

  @Override
  public final void compute(Batch<C> batch) {
    long begun = System.nanoTime();
    try {
      step(batch);
      PrefillRule rule = measured;
      int tokens = rule == null ? 0 : IntStream.range(0, batch.size()).map(batch::tokens).sum();
      if (rule != null && tokens >= PrefillRule.LEAST_TOKENS / 2) {
        rule.computed(tokens, System.nanoTime() - begun);
      }
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
    inbox.add(requests -> {});
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
