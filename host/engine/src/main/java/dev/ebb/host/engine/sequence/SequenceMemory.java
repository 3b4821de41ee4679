package dev.ebb.host.engine.sequence;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.SequenceEnd;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.host.scheduler.MemoryPressure;
import dev.ebb.host.scheduler.ScheduledRequest;
import dev.ebb.host.scheduler.SchedulerMemory;
import dev.ebb.host.scheduler.SchedulerObserver;
import dev.ebb.host.scheduler.Submission;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The memory of an {@link Ebb} for a scheduler: each running request has a {@link Sequence}. Cached
 * blocks are evicted as needed, but only the scheduler preempts. Each step publishes the blocks
 * that it has filled, so that other requests match them. Close each {@link KvAccess} before the
 * step is completed.
 */
public class SequenceMemory<P extends ScheduledSequence> implements SchedulerMemory<P> {

  /** The most waiting requests that policies see. */
  private static final int SHOWN = 32;

  private final Engine engine;
  private IntFunction<List<ScheduledRequest<P>>> queue = most -> List.of();

  /** The admitted requests whose prompts are not computed. */
  private final List<ScheduledRequest<P>> prefills = new ArrayList<>();

  public SequenceMemory(Engine engine) {
    this.engine = engine;
  }

  /** Uses the sequences of another memory, which is not used any more. */
  protected SequenceMemory(SequenceMemory<P> other) {
    this(other.engine);
  }

  @Override
  public long capacityTokens() {
    int blocks =
        engine.partitions.stream().mapToInt(partition -> partition.pool.blocks()).max().orElse(0);
    return tokens(blocks);
  }

  @Override
  public int admit(ScheduledRequest<P> request) {
    P payload = request.payload();
    Submission<P> submission = request.submission();
    payload.limit((long) submission.promptTokens() + submission.maxOutputTokens());
    if (isInProgress(payload)) {
      return IN_PROGRESS;
    }
    Sequence opened = open(request);
    if (opened == null) {
      return NO_ROOM;
    }
    PrefixCopy.into(opened, engine);
    PrefixRead.into(opened, engine);
    engine.load(payload.offloaded, opened);
    payload.offloaded = null;
    payload.opened(opened);
    prefills.add(request);
    return opened.matchedTokens();
  }

  /** Returns whether a running request is about to compute the first page that is not cached. */
  private boolean isInProgress(P payload) {
    prefills.removeIf(other -> other.tokens() - other.computedTokens() <= 1);
    if (prefills.isEmpty()) {
      return false;
    }
    int blockTokens = engine.layout().blockTokens();
    KeyChain chain = payload.keys(engine);
    return engine.locked(() -> {
      DevicePartition home = engine.devices.choose(payload.request(), chain);
      int page = home.cachedPages(chain);
      // Without a policy, engines keep no blocks.
      return page < chain.blocks()
          && !home.cache.policyName().equals(NoEviction.NAME)
          && prefills.stream()
              .filter(other -> other.computedTokens() < (page + 1) * blockTokens)
              .map(other -> other.payload().sequence())
              .anyMatch(other -> other.home.partition == home && other.chain.agrees(page, chain));
    });
  }

  @Override
  public void computed(ScheduledRequest<P> request) {
    Sequence sequence = request.payload().sequence();
    engine.lock.lock();
    try {
      // The engine's next access of a sequence that is not open fails, and so the request.
      if (sequence.state == SequenceState.OPEN) {
        sequence.publish(request.computedTokens());
      }
    } finally {
      engine.lock.unlock();
    }
  }

  private @Nullable Sequence open(ScheduledRequest<P> request) {
    SequenceRequest asked = request.payload().request();
    KeyChain chain = request.payload().keys(engine);
    engine.lock.lock();
    try {
      return missingBlocks(asked, chain) > 0
          ? null
          : engine.opening(asked, chain, waitingBehind(request));
    } catch (OutOfBlocksException notEvicted) {
      return null;
    } finally {
      engine.lock.unlock();
    }
  }

  /** Returns the first waiting requests, next first; none if no policy would look at them. */
  private List<CacheRequest> waitingBehind(ScheduledRequest<P> request) {
    if (engine.partitions.stream().noneMatch(partition -> partition.cache.reportsRequests())) {
      return List.of();
    }
    return queue.apply(SHOWN + 1).stream()
        .filter(other -> other != request)
        .limit(SHOWN)
        .map(other -> other.payload().shown(engine))
        .toList();
  }

  @Override
  public void queue(IntFunction<List<ScheduledRequest<P>>> first) {
    queue = first;
  }

  @Override
  public long shortage(ScheduledRequest<P> request) {
    SequenceRequest asked = request.payload().request();
    KeyChain chain = request.payload().keys(engine);
    return engine.locked(() -> tokens(missingBlocks(asked, chain)));
  }

  /** Returns whole pages, in blocks. */
  private long missingBlocks(SequenceRequest asked, KeyChain chain) {
    DevicePartition partition = engine.devices.choose(asked, chain);
    int matched = partition.usablePages(chain, asked.length());
    long needed = engine.pages(asked.most()) - (long) matched;
    // Matched pages cannot be evicted for the others.
    long evictable = 0;
    CacheEntry last = matched == 0 ? null : find(partition, chain, matched - 1);
    for (CacheEntry on = last; on != null && !on.pinned(); on = on.parent()) {
      evictable += on.blocks();
    }
    int groups = engine.layout().laneGroups();
    long all = needed * groups + evictable * partition.windows.unit();
    long blocks = Math.max(0, all - partition.obtainableBlocks());
    return Math.ceilDiv(blocks, groups) * groups;
  }

  private static @Nullable CacheEntry find(DevicePartition partition, KeyChain chain, int page) {
    return partition.cache.find(chain.low(page), chain.high(page));
  }

  @Override
  public boolean grow(ScheduledRequest<P> request) {
    P payload = request.payload();
    Sequence sequence = payload.sequence();
    engine.lock.lock();
    try {
      // The engine's next access of a sequence that is not open fails, and so the request.
      if (sequence.state != SequenceState.OPEN) {
        return true;
      }
      int[] tokens = payload.tokensFrom(sequence.stored.position());
      SequenceBlocks home = sequence.home;
      long needed = (long) home.missingFor(sequence.stored, tokens.length) - home.reservedBlocks();
      if (needed > home.partition.obtainableBlocks()) {
        return false;
      }
      sequence.append(tokens);
      return true;
    } catch (OutOfBlocksException notEvicted) {
      return false;
    } finally {
      engine.lock.unlock();
    }
  }

  @Override
  public void release(ScheduledRequest<P> request) {
    P payload = request.payload();
    Sequence sequence = payload.sequence();
    payload.released(sequence);
    prefills.remove(request);
    SequenceOffload server = engine.offload;
    if (server != null && request.endReason() == null) {
      payload.offloaded = server.store(sequence, request.computedTokens());
    }
    engine.exclusively(() -> {
      if (sequence.state != SequenceState.OPEN) {
        return;
      }
      if (request.endReason() == EndReason.FAILED) {
        sequence.abort();
      } else {
        boolean finished = request.endReason() == EndReason.FINISHED;
        sequence.preemptedBy = "the scheduler";
        sequence.finish(
            finished ? payload.end() : SequenceEnd.UNKNOWN,
            request::computedTokens,
            request.endReason() == null ? SequenceState.PREEMPTED : SequenceState.FINISHED);
      }
    });
  }

  /** Removes all cached blocks that no request uses, whatever the policy. */
  public void dropCached() {
    engine.exclusively(() -> engine.partitions.forEach(DevicePartition::dropCached));
  }

  @Override
  public MemoryPressure pressure() {
    return engine.locked(() -> {
      long evictions = 0;
      long requestedAgain = 0;
      long blocks = 0;
      long obtainable = 0;
      for (DevicePartition partition : engine.partitions) {
        evictions += partition.cache.evictions();
        requestedAgain += partition.cache.ghosts().askedAgain();
        blocks += partition.pool.blocks();
        obtainable += partition.obtainableBlocks();
      }
      return new MemoryPressure(evictions, requestedAgain, 1 - (double) obtainable / blocks);
    });
  }

  @Override
  public SchedulerObserver observer() {
    return engine.requests.started();
  }

  @Override
  public long held(ScheduledRequest<P> request) {
    Sequence sequence = request.payload().sequence();
    return engine.locked(() -> tokens(sequence.home.releasableBlocks()));
  }

  private long tokens(long blocks) {
    return blocks / engine.layout().laneGroups() * engine.layout().blockTokens();
  }
}
