package dev.ebb.server.completion;

import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.sequence.SequenceMemory;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.host.scheduler.ScheduledRequest;

/**
 * The memory of the scheduler: an {@link Ebb} decides. Without a policy, no prefix is cached.
 *
 * @param <C> the engine's completions
 */
public class CompletionMemory<C extends Completion> extends SequenceMemory<C> {

  private final Ebb ebb;

  /** Uses an Ebb in which no other sequences are opened. */
  public CompletionMemory(Ebb ebb) {
    super(ebb.memory());
    this.ebb = ebb;
  }

  /** Returns whether blocks stay cached: nothing could evict them without a policy. */
  protected final boolean caches() {
    return !ebb.policies().policy().equals(NoEviction.NAME);
  }

  @Override
  public int admit(ScheduledRequest<C> request) {
    if (!caches()) {
      dropCached();
    }
    return super.admit(request);
  }

  @Override
  public void computed(ScheduledRequest<C> request) {
    if (caches()) {
      super.computed(request);
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
    super.release(request);
  }
}
