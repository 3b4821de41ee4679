package dev.ebb.server.completion;

import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.sequence.SequenceMemory;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.host.scheduler.MemoryPressure;
import dev.ebb.host.scheduler.ScheduledRequest;
import dev.ebb.host.scheduler.SchedulerMemory;
import dev.ebb.host.scheduler.SchedulerObserver;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The memory of the scheduler: an {@link Ebb} decides. Without a policy, no prefix is cached.
 *
 * @param <C> the engine's completions
 */
public class CompletionMemory<C extends Completion> implements SchedulerMemory<C> {

  private final Ebb ebb;
  private final SequenceMemory<C> sequences;

  /** Uses an Ebb in which no other sequences are opened. */
  public CompletionMemory(Ebb ebb) {
    this.ebb = ebb;
    sequences = ebb.memory();
  }

  /** Returns whether blocks stay cached: nothing could evict them without a policy. */
  protected final boolean caches() {
    return !ebb.policies().policy().equals(NoEviction.NAME);
  }

  @Override
  public final long capacityTokens() {
    return sequences.capacityTokens();
  }

  @Override
  public int admit(ScheduledRequest<C> request) {
    if (!caches()) {
      sequences.dropCached();
    }
    return sequences.admit(request);
  }

  @Override
  public boolean grow(ScheduledRequest<C> request) {
    return sequences.grow(request);
  }

  @Override
  public void computed(ScheduledRequest<C> request) {
    if (caches()) {
      sequences.computed(request);
    }
  }

  /** Returns whether a request that ends leaves its blocks to the cache. */
  protected final boolean keeps(ScheduledRequest<C> request) {
    return request.endReason() != EndReason.FAILED && caches();
  }

  @Override
  public void release(ScheduledRequest<C> request) {
    if (!keeps(request)) {
      request.payload().sequence().close();
    }
    sequences.release(request);
  }

  @Override
  public final long shortage(ScheduledRequest<C> request) {
    return sequences.shortage(request);
  }

  @Override
  public final MemoryPressure pressure() {
    return sequences.pressure();
  }

  @Override
  public final SchedulerObserver observer() {
    return sequences.observer();
  }

  @Override
  public final void queue(IntFunction<List<ScheduledRequest<C>>> first) {
    sequences.queue(first);
  }

  @Override
  public final long held(ScheduledRequest<C> request) {
    return sequences.held(request);
  }
}
