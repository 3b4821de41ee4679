package dev.ebb.host.scheduler;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.units.TimeSpan;
import dev.ebb.spi.PreemptionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests an engine computes in each step. Running requests decode first; the rest
 * of the token budget is for prompts, in chunks, the most urgent first. Waiting requests are
 * admitted if their memory fits beside the cached prefix. If memory is short, less urgent requests
 * are preempted, and computed again later.
 *
 * <p>A step is {@link #step}, then the engine's computation, then {@link #completed}. Single
 * threaded. Time is the caller's nanoseconds, which never go back.
 *
 * @param <P> the engine's data for a request
 */
public final class Scheduler<P> {

  private final SchedulerOptions options;
  private final SchedulerMemory<P> memory;
  private final SchedulerObserver observer;
  private final GuardedPreemption preemption;
  private final Consumer<? super ScheduledRequest<P>> onEnd;
  private final WaitingQueue<P> waiting;
  private final long timeoutNanos;
  private final long starvationNanos;

  /** The running requests in the order of their admission. */
  private final List<ScheduledRequest<P>> running = new ArrayList<>();

  /** Those with a prompt to compute, the most urgent first; rebuilt in each step. */
  private final List<ScheduledRequest<P>> prefills = new ArrayList<>();

  /** The requests that a preemption policy selects from; rebuilt for each selection. */
  private final List<ScheduledRequest<P>> candidates = new ArrayList<>();

  private final Batch<P> batch = new Batch<>();
  private final BatchControl batchSize;
  private long lastId;
  private long lastAdmission;

  /**
   * Creates a scheduler without requests.
   *
   * @param preemption selects the requests to preempt; if it throws, {@link
   *     PreemptionRules#LOWEST_PRIORITY} replaces it
   * @param onEnd called once for each request when it ends; must not call the scheduler
   */
  public Scheduler(
      SchedulerOptions options,
      SchedulerMemory<P> memory,
      PreemptionPolicy preemption,
      Consumer<? super ScheduledRequest<P>> onEnd) {
    this.options = requireNonNull(options, "options is null");
    this.memory = requireNonNull(memory, "memory is null");
    observer = memory.observer();
    this.preemption = new GuardedPreemption(preemption, fault -> {});
    this.onEnd = requireNonNull(onEnd, "onEnd is null");
    timeoutNanos = options.queueTimeout().toNanos();
    starvationNanos = options.starvationAfter().toNanos();
    waiting = new WaitingQueue<>(options.tenantQuantum(), starvationNanos);
    batchSize = new BatchControl(options.maxRunning());
    memory.queue(waiting::first);
  }

  /**
   * Sets the controller of the batch size, a {@link DampedBatchSize} until then. It is asked only
   * if the memory measures its pressure.
   */
  public void batchSize(BatchSizeController controller) {
    batchSize.controller(requireNonNull(controller, "controller is null"));
  }

  /** Returns how many requests can run at a time now, at most {@code maxRunning}. */
  public int batchSize() {
    return batchSize.limit();
  }

  /** Returns the last decision about the batch size, with its reason; null before the first. */
  public @Nullable BatchSizeDecision lastBatchSizeDecision() {
    return batchSize.last();
  }

  /**
   * Adds a request to the queue, or refuses it. If the queue is full, the newest of the least
   * urgent requests is refused, of the tenant that has most of them.
   *
   * @return the request, which has ended if it was refused
   */
  public ScheduledRequest<P> submit(Submission<P> submission, long now) {
    refuseOverdue(now);
    long urgency = options.urgency(submission.priority());
    String tenant = submission.tenant() == null ? "" : submission.tenant();
    ScheduledRequest<P> request =
        new ScheduledRequest<>(
            submission, ++lastId, urgency, waiting.level(urgency).tenant(tenant), memory, now);
    if (submission.mostTokens() > memory.capacityTokens()) {
      end(request, EndReason.TOO_LONG, tooLong(submission));
      return request;
    }
    if (waiting.queued() >= options.maxQueued()) {
      ScheduledRequest<P> refused = waiting.toRefuse(request);
      if (refused == request) {
        end(request, EndReason.QUEUE_FULL, queueFull());
        return request;
      }
      endQueued(refused, EndReason.QUEUE_FULL, queueFull());
    }
    waiting.add(request);
    return request;
  }

  /** Cancels a request, after the current step if it is in it; returns whether it had not ended. */
  public boolean cancel(ScheduledRequest<P> request) {
    if (request.inBatch) {
      request.cancelled = true;
      return true;
    }
    return end(request, EndReason.CANCELLED);
  }

  /**
   * Ends a request that goes on in another engine. Its blocks stay cached.
   *
   * @return whether it had not ended
   * @throws IllegalStateException if the engine computes it in the current step
   */
  public boolean withdraw(ScheduledRequest<P> request) {
    if (request.inBatch) {
      throw new IllegalStateException("'%s' is computed in this step".formatted(request));
    }
    return end(request, EndReason.MOVED);
  }

  private boolean end(ScheduledRequest<P> request, EndReason reason) {
    switch (request.state) {
      case WAITING, PREEMPTED -> endQueued(request, reason, "");
      case RUNNING -> {
        running.remove(request);
        endRunning(request, reason, "");
      }
      case ENDED -> {
        return false;
      }
    }
    return true;
  }

  /**
   * Decides what the engine computes next.
   *
   * @return the work; empty if nothing can run
   * @throws IllegalStateException if the previous step is not completed
   */
  public Batch<P> step(long now) {
    if (!batch.isEmpty()) {
      throw new IllegalStateException(
          "the previous step of '%d' requests is not completed; call completed() first"
              .formatted(batch.size()));
    }
    refuseOverdue(now);
    observer.step(running.size(), waiting.queued(), waiting.preempted(), batchSize.limit());
    if (batchSize.isDue(now)) {
      decideBatchSize(now);
    }
    boolean wasShort = growRunning(now);
    collectPrefills(now);
    // Memory that a preempted request has just released is for the running ones.
    if (!wasShort || running.isEmpty()) {
      admitWaiting(now);
    }
    plan(now);
    return batch;
  }

  private void decideBatchSize(long now) {
    BatchSizeDecision before = batchSize.last();
    batchSize.decide(now, memory.pressure(), running.size(), waiting.queued(), waiting.preempted());
    BatchSizeDecision decision = batchSize.last();
    if (decision != null && decision != before) {
      observer.decided(decision);
    }
  }

  /** Takes the results of the current step, which the engine has reported to its batch. */
  public void completed(long now) {
    for (int i = 0; i < batch.size(); i++) {
      completed(batch.request(i), i, now);
    }
    batch.clear();
    running.removeIf(request -> request.state == SchedulingState.ENDED);
  }

  private void completed(ScheduledRequest<P> request, int index, long now) {
    request.inBatch = false;
    String failure = batch.failure(index);
    if (request.cancelled) {
      endRunning(request, EndReason.CANCELLED, "");
    } else if (failure != null) {
      endRunning(request, EndReason.FAILED, failure);
    } else {
      boolean sampled = batch.samples(index);
      request.computedTokens += batch.tokens(index);
      if (sampled) {
        request.outputTokens++;
        observer.generated(request, now - request.lastToken);
        request.lastToken = now;
        batchSize.served(request.outputTokens == 1 ? request.submission().promptTokens() + 1 : 1);
        request.tenantQueue.level.charge(request.tenantQueue, 1);
        request.stopped = batch.finished(index);
        if (request.stopped || request.outputTokens == request.submission().maxOutputTokens()) {
          endRunning(request, EndReason.FINISHED, "");
        }
      }
      if (request.state == SchedulingState.RUNNING) {
        memory.computed(request);
      }
    }
  }

  /** Returns the number of requests that wait for their first admission. */
  public int queued() {
    return waiting.queued();
  }

  public int running() {
    return running.size();
  }

  /** Returns the number of preempted requests that wait to be admitted again. */
  public int preempted() {
    return waiting.preempted();
  }

  /** Returns what the preemption policy threw; null if it is still asked. */
  public @Nullable String preemptionFault() {
    return preemption.fault();
  }

  /** Returns the nanoseconds to the next queue timeout; {@link Long#MAX_VALUE} if none waits. */
  public long nanosToTimeout(long now) {
    ScheduledRequest<P> oldest = waiting.oldestQueued();
    return oldest == null
        ? Long.MAX_VALUE
        : Math.max(0, timeoutNanos - (now - oldest.waitingSince));
  }

  private void refuseOverdue(long now) {
    ScheduledRequest<P> oldest = waiting.oldestQueued();
    while (oldest != null && now - oldest.waitingSince >= timeoutNanos) {
      endQueued(oldest, EndReason.QUEUE_TIMEOUT, queueTimeout());
      oldest = waiting.oldestQueued();
    }
  }

  /** Makes room for the newest token of each running request. Returns whether any was preempted. */
  private boolean growRunning(long now) {
    boolean preempted = false;
    int index = 0;
    while (index < running.size()) {
      ScheduledRequest<P> request = running.get(index);
      int tokens = request.tokens();
      if (tokens == request.room || memory.grow(request)) {
        request.room = tokens;
        index++;
      } else {
        int victim = victim(request.rank(), (long) tokens - request.room);
        preempt(victim, now);
        preempted = true;
        index -= victim < index ? 1 : 0;
      }
    }
    return preempted;
  }

  /** Returns the running request to preempt, among those of a rank up to a limit; -1 if none. */
  private int victim(long highestRank, long neededTokens) {
    candidates.clear();
    for (int i = 0; i < running.size(); i++) {
      ScheduledRequest<P> request = running.get(i);
      if (request.rank() <= highestRank) {
        candidates.add(request);
      }
    }
    return candidates.isEmpty() ? -1 : running.indexOf(preemption.select(candidates, neededTokens));
  }

  private void preempt(int index, long now) {
    ScheduledRequest<P> request = running.remove(index);
    prefills.remove(request);
    request.state = SchedulingState.PREEMPTED;
    memory.release(request);
    request.computedTokens = 0;
    request.room = 0;
    request.preemptions++;
    observer.preempted(request);
    batchSize.preempted();
    request.waitingSince = now;
    waiting.addPreempted(request);
  }

  private void collectPrefills(long now) {
    prefills.clear();
    for (int i = 0; i < running.size(); i++) {
      ScheduledRequest<P> request = running.get(i);
      if (request.remaining() > 1) {
        // The guard for a prompt that is admitted, but always behind more urgent ones.
        request.guarded |= now - request.lastPlanned >= starvationNanos;
        addPrefill(request);
      }
    }
  }

  private void addPrefill(ScheduledRequest<P> request) {
    int at = prefills.size();
    while (at > 0 && prefills.get(at - 1).rank() < request.rank()) {
      at--;
    }
    prefills.add(at, request);
  }

  private void admitWaiting(long now) {
    ScheduledRequest<P> next = waiting.next(now);
    while (next != null && hasBudgetFor(next) && admit(next, now)) {
      next = waiting.next(now);
    }
  }

  /** Returns whether the step has tokens left beside decodes and prompts of the same urgency. */
  private boolean hasBudgetFor(ScheduledRequest<P> next) {
    int decodes = running.size() - prefills.size();
    long left = (long) options.maxBatchedTokens() - decodes;
    for (int i = 0; i < prefills.size() && left > 0; i++) {
      ScheduledRequest<P> prefill = prefills.get(i);
      left -= prefill.rank() >= next.rank() ? prefill.remaining() : 0;
    }
    return left > 0;
  }

  private boolean admit(ScheduledRequest<P> next, long now) {
    int matched = tryAdmit(next);
    while (matched == SchedulerMemory.NO_ROOM) {
      if (!preemptionHelps(next)) {
        return false;
      }
      preempt(victim(next.urgency - 1, memory.shortage(next)), now);
      matched = tryAdmit(next);
    }
    if (matched == SchedulerMemory.IN_PROGRESS) {
      return false;
    }
    boolean first = next.state == SchedulingState.WAITING;
    next.matchedTokens = matched;
    // The last token is always computed, because its output is needed.
    next.computedTokens = Math.min(matched, next.tokens() - 1);
    next.room = next.tokens();
    waiting.admitted(next, first ? next.remaining() : 0);
    next.state = SchedulingState.RUNNING;
    next.waited += now - next.waitingSince;
    if (first) {
      observer.admitted(next, now - next.waitingSince);
    }
    next.admission = ++lastAdmission;
    next.lastPlanned = now;
    running.add(next);
    if (next.remaining() > 1) {
      addPrefill(next);
    }
    return true;
  }

  private int tryAdmit(ScheduledRequest<P> next) {
    return running.size() < batchSize.limit() ? memory.admit(next) : SchedulerMemory.NO_ROOM;
  }

  /** Returns whether less urgent requests hold enough, so that none is preempted in vain. */
  private boolean preemptionHelps(ScheduledRequest<P> next) {
    boolean any = false;
    long held = 0;
    for (int i = 0; i < running.size(); i++) {
      ScheduledRequest<P> request = running.get(i);
      if (request.rank() < next.urgency) {
        any = true;
        held += memory.held(request);
      }
    }
    return any && held >= memory.shortage(next);
  }

  private void plan(long now) {
    int budget = options.maxBatchedTokens();
    for (int i = 0; i < running.size(); i++) {
      ScheduledRequest<P> request = running.get(i);
      if (request.remaining() == 1) {
        budget -= plan(request, 1, now);
      }
    }
    for (int i = 0; i < prefills.size() && budget > 0; i++) {
      ScheduledRequest<P> request = prefills.get(i);
      budget -= plan(request, Math.min(budget, request.remaining()), now);
    }
  }

  private int plan(ScheduledRequest<P> request, int tokens, long now) {
    request.inBatch = true;
    request.lastPlanned = now;
    batch.add(request, tokens);
    return tokens;
  }

  private void endQueued(ScheduledRequest<P> request, EndReason reason, String message) {
    waiting.remove(request);
    waiting.ended(request, true);
    close(request, reason, message);
  }

  /** Ends a running request, which the caller removes from the list. */
  private void endRunning(ScheduledRequest<P> request, EndReason reason, String message) {
    request.endReason = reason;
    memory.release(request);
    waiting.ended(request, true);
    close(request, reason, message);
  }

  /** Ends a request that was refused before it was queued. */
  private void end(ScheduledRequest<P> request, EndReason reason, String message) {
    waiting.ended(request, false);
    close(request, reason, message);
  }

  private void close(ScheduledRequest<P> request, EndReason reason, String message) {
    request.state = SchedulingState.ENDED;
    request.endReason = reason;
    request.endMessage = message;
    observer.ended(request);
    onEnd.accept(request);
  }

  private String tooLong(Submission<P> submission) {
    return ("a prompt of '%d' tokens with up to '%d' output tokens exceeds the KV memory of %d"
            + " tokens; shorten the prompt, or lower the output limit")
        .formatted(
            submission.promptTokens(), submission.maxOutputTokens(), memory.capacityTokens());
  }

  private String queueFull() {
    return "the queue is full with max-queued '%d' requests; try again later"
        .formatted(options.maxQueued());
  }

  private String queueTimeout() {
    return "the request was not admitted within queue-timeout '%s'; try again later"
        .formatted(TimeSpan.exact(options.queueTimeout()));
  }
}
