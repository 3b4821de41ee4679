package dev.ebb.host.engine.sequence;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.engine.prune.TokenMetrics;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.PageListener;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.tier.DiskPages;
import dev.ebb.host.engine.tier.OffloadedSequence;
import dev.ebb.host.engine.tier.RemotePages;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.scheduler.GuardedPreemption;
import dev.ebb.host.scheduler.PreemptionRules;
import dev.ebb.spi.PreemptionPolicy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's records: sequences over the pools of one or several devices and the prefix caches on
 * them, behind one lock. A block belongs to the sequences that made or forked it, by the pool's
 * references. When one of them finishes, its reference moves to the cache's entry.
 */
public final class Engine {

  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

  public final ReentrantLock lock = new ReentrantLock();

  /** Signalled whenever memory may have become free, or a sequence is no longer in use. */
  public final Condition freed = lock.newCondition();

  public final List<DevicePartition> partitions = new ArrayList<>();
  public final Set<Sequence> sequences = new LinkedHashSet<>();
  public final SequenceMigrations migrations = new SequenceMigrations(this);
  public final SignalKeeping signals = new SignalKeeping(this);
  final TokenMetrics tokens = new TokenMetrics();

  /** The key of the configuration that has the pools' size. */
  public String sizeKey = "ebb.pool.size";

  /** Receives which pages are cached; set before the first device is added. */
  public PageListener pageListener = PageListener.NONE;

  /** Keeps preempted sequences on a server; null without one. */
  public @Nullable SequenceOffload offload;

  /** Pages of cached prefixes on a disk; null without a disk tier. */
  public @Nullable DiskPages disk;

  public @Nullable RemotePages remote;

  public final DeviceChoice devices = new DeviceChoice(this);

  /** The requests of a scheduler on this engine. */
  public final RequestRecorder requests = new RequestRecorder();

  /** Makes instances of the configured preemption policy. */
  public Supplier<PreemptionPolicy> preemptionPolicies = () -> PreemptionRules.LOWEST_PRIORITY;

  /** Selects the sequence to preempt, under the lock. */
  GuardedPreemption preemption = guarded(PreemptionRules.LOWEST_PRIORITY);

  private long lastId;
  private boolean closed;

  /**
   * Adds a device before the first sequence is opened.
   *
   * @param cache an empty cache of the pool's capacity
   * @param threshold the share of the pool above which background eviction starts, 0 to 1
   */
  public DevicePartition add(KvPool pool, BlockCache cache, double threshold, double target) {
    DevicePartition partition = new DevicePartition(this, pool, cache, threshold, target);
    partitions.add(partition);
    return partition;
  }

  /** Sets the preemption policy, before the first sequence is opened. */
  public void preemptWith(Supplier<PreemptionPolicy> policies) {
    preemptionPolicies = policies;
    preemption = guarded(policies.get());
  }

  /** Changes the share of each cache that operators may pin, 0 to 1; existing pins stay. */
  public void pinBudget(double share) {
    exclusively(() -> partitions.forEach(partition -> partition.pins.budget = share));
  }

  private static GuardedPreemption guarded(PreemptionPolicy policy) {
    return new GuardedPreemption(
        policy,
        fault ->
            LOG.error(
                "preemption policy failed now={} reason=\"{}\"",
                PreemptionRules.LOWEST_PRIORITY.id(),
                fault));
  }

  public KvLayout layout() {
    return partitions.getFirst().layout();
  }

  /** Returns the size of the blocks that weigh one in the caches. */
  public long unitBytes() {
    return (long) layout().blockBytes() * partitions.getFirst().windows.unit();
  }

  /** What sequences have on a device, also those that are just coming or going. */
  public Stream<SequenceBlocks> sequenceBlocks(DevicePartition partition) {
    return Stream.of(
            sequences.stream().map(sequence -> sequence.home),
            sequences.stream().map(sequence -> sequence.copiedFrom).filter(Objects::nonNull),
            migrations.arriving())
        .flatMap(sequenceBlocks -> sequenceBlocks)
        .filter(held -> held.partition == partition);
  }

  /**
   * Runs work under the lock. Calls on the path of every token take the lock themselves: they
   * allocate nothing for it.
   */
  public <T> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  /** Runs work without a result under the lock. */
  public void exclusively(Runnable work) {
    lock.lock();
    try {
      work.run();
    } finally {
      lock.unlock();
    }
  }

  public Sequence open(SequenceRequest asked) {
    return open(asked, keys(asked));
  }

  private KeyChain keys(SequenceRequest asked) {
    return keys(asked.namespace(), asked.tokens());
  }

  /** Returns the keys of a prompt, to which tokens can be added. */
  KeyChain keys(Namespace namespace, int... tokens) {
    KeyChain chain = new KeyChain(namespace, layout().blockTokens());
    if (pageListener != PageListener.NONE) {
      chain.keepTokens();
    }
    chain.add(tokens);
    return chain;
  }

  /** Opens a sequence with the K and V of a preempted one, as far as a server has them. */
  public Sequence resume(Sequence preempted, SequenceRequest asked) {
    checkOwn(preempted);
    OffloadedSequence offloaded = locked(() -> offloaded(preempted));
    KeyChain chain = keys(asked);
    if (offloaded != null && !offloaded.begins(chain)) {
      throw new IllegalArgumentException(
          "the request must begin with the '%d' tokens of sequence '%d' that were offloaded, in the same namespace"
              .formatted(offloaded.tokens(), preempted.id));
    }
    Sequence opened = open(asked, chain);
    load(offloaded, opened);
    return opened;
  }

  private @Nullable OffloadedSequence offloaded(Sequence preempted) {
    if (preempted.state != SequenceState.PREEMPTED) {
      throw new IllegalStateException(
          "sequence '%d' is '%s', and only a preempted one can be resumed; open another one"
              .formatted(preempted.id, preempted.state));
    }
    while (preempted.home.copying) {
      freed.awaitUninterruptibly();
    }
    return preempted.offloaded;
  }

  /** Reads offloaded K and V into a new sequence, without the lock. */
  void load(@Nullable OffloadedSequence offloaded, Sequence opened) {
    SequenceOffload server = offload;
    if (server != null && offloaded != null) {
      server.load(offloaded, opened);
    }
  }

  /** Preempts a sequence by storing it on a server; returns false if it does not do so. */
  boolean offloads(Sequence victim) {
    SequenceOffload server = offload;
    return server != null && server.preempt(victim);
  }

  private Sequence open(SequenceRequest asked, KeyChain chain) {
    Sequence opened = locked(() -> opening(asked, chain, List.of()));
    PrefixCopy.into(opened, this);
    PrefixRead.into(opened, this);
    return opened;
  }

  /**
   * Opens a sequence under the lock. The caller copies its prefix after it, without the lock.
   *
   * @param waiting the requests that wait behind it, next first
   */
  Sequence opening(SequenceRequest asked, KeyChain chain, List<CacheRequest> waiting) {
    checkOpen();
    DevicePartition chosen = devices.choose(asked, chain);
    Sequence sequence = add(asked, chain, chosen, promptPages(chosen, asked, chain), waiting);
    SequenceBlocks home = sequence.home;
    home.partition.traffic.opened(sequence);
    home.reportPrompt();
    sequence.uses++;
    try {
      if (asked.reservation() != null) {
        int pages = pages(asked.facts().maxSequenceLength()) - home.matchedPages;
        home.reserve(Math.multiplyExact(pages, layout().laneGroups()), asked.reservation());
      }
      home.growFor(sequence.stored, asked.length());
      sequence.stored.append(asked.length());
      PrefixCopy.prepare(sequence, devices.elsewhere(sequence));
    } catch (RuntimeException refused) {
      release(sequence, SequenceState.ABORTED);
      throw refused;
    } finally {
      endUse(sequence);
    }
    return sequence;
  }

  /** Returns how many pages may match: a recurrent state must not include the last token. */
  private int promptPages(DevicePartition partition, SequenceRequest asked, KeyChain chain) {
    return partition.states == null
        ? chain.blocks()
        : Math.max(0, (asked.length() - 1) / layout().blockTokens());
  }

  /** Refuses what needs the K and V of all tokens, and nothing else. */
  public void requireKvOnly(String what) {
    requireNoWindows(what);
    if (partitions.getFirst().states != null) {
      throw refused("recurrent states", what);
    }
  }

  /** Refuses what needs the K and V of all tokens in all lane groups. */
  void requireNoWindows(String what) {
    if (!partitions.getFirst().windows.areFull()) {
      throw refused("windows", what);
    }
  }

  private static IllegalStateException refused(String model, String what) {
    return new IllegalStateException(
        "a sequence of a model with %s cannot be %s; open another one with the same tokens"
            .formatted(model, what));
  }

  /**
   * Returns a sequence that has matched the cached part of its first pages, and nothing else yet.
   */
  public Sequence add(SequenceRequest asked, KeyChain chain, DevicePartition partition, int pages) {
    return add(asked, chain, partition, pages, List.of());
  }

  private Sequence add(
      SequenceRequest asked,
      KeyChain chain,
      DevicePartition partition,
      int pages,
      List<CacheRequest> waiting) {
    Sequence sequence = new Sequence(this, ++lastId, asked, chain, partition, pages, waiting);
    sequences.add(sequence);
    return sequence;
  }

  Sequence fork(Sequence parent) {
    return locked(() -> {
      parent.checkOpen();
      SequenceBlocks from = parent.home;
      Sequence child = add(parent.asked, parent.chain.copy(), from.partition, from.matchedPages);
      from.shareWith(child.home);
      child.stored = parent.stored.copy();
      child.signals = parent.signals == null ? null : parent.signals.copy(child.stored);
      child.pruning = parent.pruning.copy();
      child.matchedTokens = parent.matchedTokens;
      child.writtenTokens = parent.writtenTokens;
      from.partition.traffic.forked++;
      return child;
    });
  }

  /** Refuses a sequence of another Ebb, whose blocks are in other pools. */
  void checkOwn(Sequence sequence) {
    if (sequence.engine != this) {
      throw new IllegalArgumentException(
          "sequence '%d' is of another Ebb; use the one that opened it".formatted(sequence.id));
    }
  }

  void endUse(Sequence sequence) {
    if (--sequence.uses == 0) {
      freed.signalAll();
    }
  }

  void release(Sequence sequence, SequenceState state) {
    migrations.end(sequence, "the sequence is " + state);
    sequence.home.partition.traffic.ended(state);
    letGo(sequence, state);
  }

  void letGo(Sequence sequence, SequenceState state) {
    if (sequences.remove(sequence)) {
      sequence.home.release();
      sequence.state = state;
      freed.signalAll();
    }
  }

  int pages(long tokens) {
    return Math.toIntExact(Math.ceilDiv(tokens, layout().blockTokens()));
  }

  public void checkOpen() {
    if (closed) {
      throw new IllegalStateException("this Ebb is closed; start another one");
    }
  }

  public boolean isOpen() {
    return locked(() -> !closed);
  }

  /** Ends all sequences. Returns false if it was closed before. */
  public boolean close() {
    return locked(() -> {
      if (closed) {
        return false;
      }
      sequences.forEach(sequence -> sequence.checkNotInUse("closed"));
      closed = true;
      SequenceOffload server = offload;
      if (server != null) {
        server.await();
      }
      Set.copyOf(sequences).forEach(sequence -> release(sequence, SequenceState.ABORTED));
      migrations.awaitCopies();
      partitions.forEach(partition -> partition.cached.reportClosed());
      return true;
    });
  }
}
