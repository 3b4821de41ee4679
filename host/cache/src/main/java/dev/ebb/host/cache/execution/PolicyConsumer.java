package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.AdmissionCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.EventConsumer;
import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.index.HandedOverEntry;
import dev.ebb.host.cache.index.SlotTable;
import dev.ebb.host.cache.policy.Explanation;
import dev.ebb.host.cache.policy.Gauges;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.policy.PolicyState;
import dev.ebb.host.cache.policy.PolicyTimer;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PartChoice;
import dev.ebb.spi.Request;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A policy and its nodes: feeds it the event stream, keeps its nodes by slot, and checks everything
 * it throws or offers. Used by one thread at a time.
 */
public final class PolicyConsumer<N> implements EventConsumer {

  /** How often in a row a policy may offer what it may not. */
  static final int MAX_WRONG_OFFERS = 3;

  private final String name;
  private final BlockPolicy<N> policy;
  private final PolicyCandidate candidate;
  private final int id;
  private final @Nullable EvictionLog log;
  private final @Nullable PolicyTimer timer;
  private final boolean hearsRequests;
  private final boolean hearsMisses;
  private final boolean decidesAdmission;
  private final boolean choosesParts;
  private final @Nullable Runnable betweenEvents;
  private final Gauges gauges;
  private long waitedTicks;

  private final AtomicLong questions = new AtomicLong();

  /** By slot. Dropping this array drops all of the policy's nodes. */
  private @Nullable Object[] nodes = new Object[64];

  /** The id is its own among the cache's consumers, at least 1. */
  private PolicyConsumer(
      PolicyCandidate candidate,
      BlockPolicy<N> policy,
      int id,
      @Nullable EvictionLog log,
      @Nullable PolicyTimer timer) {
    name = candidate.name();
    this.policy = policy;
    this.candidate = candidate;
    this.id = id;
    this.log = log;
    this.timer = timer;
    betweenEvents = candidate.betweenEvents();
    gauges = new Gauges(name);
    hearsRequests = overrides("began", Request.class) || overrides("ended", Request.class);
    hearsMisses = overrides("lookupMissed", long.class);
    decidesAdmission = overrides("admits", Request.class, int.class, Object.class);
    choosesParts = overrides("victimPart", Demand.class, Object.class, PartChoice.class);
  }

  static PolicyConsumer<?> of(
      PolicyCandidate candidate, int id, @Nullable EvictionLog log, @Nullable PolicyTimer timer) {
    return new PolicyConsumer<>(candidate, candidate.policy(), id, log, timer);
  }

  String name() {
    return name;
  }

  void failed(PolicyFault fault) {
    candidate.failed(fault);
  }

  void answered(long nanos) {
    candidate.answered(nanos);
  }

  BlockPolicy<N> policy() {
    return policy;
  }

  int id() {
    return id;
  }

  @Override
  public boolean hearsRequests() {
    return hearsRequests;
  }

  boolean hearsMisses() {
    return hearsMisses;
  }

  @Override
  public void accept(EventBatch batch) {
    try {
      if (timer != null && timer.due()) {
        timer.startBatch();
        for (int i = 0; i < batch.size(); i++) {
          timer.before(batch.kind(i) == EventBatch.Kind.ACCESSED);
          apply(batch, i);
        }
        timer.endBatch();
      } else {
        long start = beginCall();
        for (int i = 0; i < batch.size(); i++) {
          apply(batch, i);
        }
        endCall(start);
      }
    } catch (Throwable thrown) {
      throw fault(thrown);
    }
  }

  private void apply(EventBatch batch, int index) {
    if (betweenEvents != null) {
      handBack(betweenEvents);
    }
    switch (batch.kind(index)) {
      case ACCESSED -> policy.accessed(node(batch.slot(index)));
      case INSERTED -> insert(batch.entry(index), batch.slot(index));
      case REMOVED -> remove(batch, index);
      case REFUSED -> {
        if (batch.addressee == id) {
          policy.refused(node(batch.slot(index)));
        }
      }
      case RELEASED -> {
        if (batch.addressee == id) {
          policy.released(node(batch.slot(index)));
        }
      }
      case MISSED -> policy.lookupMissed(batch.missed(index));
      case BEGAN -> policy.began(batch.request(index));
      case ENDED -> policy.ended(batch.request(index));
    }
  }

  private void handBack(Runnable tasks) {
    long start = ticks();
    tasks.run();
    waitedTicks += ticks() - start;
  }

  private long beginCall() {
    waitedTicks = 0;
    return ticks();
  }

  private void endCall(long start) {
    if (timer != null) {
      timer.endCall(start + waitedTicks);
    }
  }

  private long ticks() {
    return timer == null ? 0 : timer.ticks();
  }

  private void insert(Entry entry, int slot) {
    N node = policy.inserted(entry);
    if (node == null) {
      throw new IllegalStateException("inserted() returned no node");
    }
    if (slot >= nodes.length) {
      nodes = Arrays.copyOf(nodes, Math.max(slot + 1, nodes.length * 2));
    }
    nodes[slot] = node;
  }

  private void remove(EventBatch batch, int index) {
    int slot = batch.slot(index);
    N node = node(slot);
    if (log != null) {
      score(node, batch, index, log);
    }
    nodes[slot] = null;
    policy.removed(node, batch.cause(index));
  }

  private void score(N node, EventBatch batch, int index, EvictionLog into) {
    long record = batch.record(index);
    if (record != EvictionLog.NONE && batch.addressee == id) {
      into.score(record, policy.score(node));
    }
  }

  void insertResident(CacheEntry entry) {
    try {
      insert(new HandedOverEntry(entry), entry.slot);
    } catch (Throwable thrown) {
      throw fault(thrown);
    }
  }

  /** Asks for a victim. The answer is to be checked with {@link #wrong}. */
  @Nullable Entry ask(Demand demand) {
    try {
      long start = beginCall();
      Entry victim = policy.victim(demand);
      endCall(start);
      return victim;
    } catch (Throwable thrown) {
      throw fault(thrown);
    }
  }

  /**
   * Asks whether a newcomer should take the place of an entry that was just offered, after so many
   * evicted blocks. True if the policy does not hold the entry, which {@link #wrong} reports.
   */
  boolean admits(AdmissionCandidate newcomer, long freed, CacheEntry offered) {
    if (!decidesAdmission || !holds(offered)) {
      return true;
    }
    questions.setRelease(questions.getPlain() + 1);
    try {
      return policy.admits(newcomer.request, newcomer.index(freed), node(offered.slot));
    } catch (Throwable thrown) {
      throw fault(thrown);
    }
  }

  boolean choosesParts() {
    return choosesParts;
  }

  /** Lets the policy choose a part of a chunk in place of the host's choice; false if it threw. */
  boolean choosePart(Demand demand, PartChoice choice) {
    CacheEntry entry = choice.entry() instanceof CacheEntry proposed ? proposed : null;
    if (entry != null && !holds(entry)) {
      choice.none();
      return true;
    }
    try {
      long start = beginCall();
      policy.victimPart(demand, entry == null ? null : node(entry.slot), choice);
      endCall(start);
      return true;
    } catch (Throwable thrown) {
      return false;
    }
  }

  /** Returns the chunk of a chosen part; null if the policy does not hold it. */
  @Nullable CacheEntry chosen(PartChoice choice, SlotTable slots) {
    Entry chosen = choice.entry();
    CacheEntry entry = chosen == null ? null : HandedOverEntry.unwrap(chosen);
    return entry != null && slots.owns(entry) && holds(entry) ? entry : null;
  }

  private boolean holds(CacheEntry entry) {
    int slot = entry.slot;
    return slot >= 0 && slot < nodes.length && nodes[slot] != null;
  }

  /** Returns how often the policy was asked to admit a block. Can be called by any thread. */
  long questions() {
    return questions.getAcquire();
  }

  boolean decidesAdmission() {
    return decidesAdmission;
  }

  /**
   * Returns what is wrong with an offer, as far as the policy can know; null if it holds the entry,
   * which may have been removed meanwhile, and has not set it aside.
   */
  @Nullable String wrong(Entry offered, SlotTable slots) {
    CacheEntry entry = HandedOverEntry.unwrap(offered);
    if (entry == null) {
      return "an entry that is not of this cache";
    }
    if (!slots.owns(entry) || !holds(entry)) {
      return "a removed entry";
    }
    return entry.asideOf == id ? "an entry that is set aside" : null;
  }

  PolicyFault keepsOffering(String wrong) {
    return new PolicyFault(
        PolicyFault.Kind.OFFERED_WRONG, "policy '" + name + "' keeps offering " + wrong);
  }

  public long size() {
    return call(BlockPolicy::size);
  }

  /** Compares the policy's own count of its entries with what it was given. */
  void checkSize(long expected) {
    long size = size();
    if (size != expected) {
      throw new PolicyFault(
          PolicyFault.Kind.WRONG_SIZE,
          "policy '%s' holds %d entries after taking over, but %d are resident"
              .formatted(name, size, expected));
    }
  }

  void resized(long capacityBlocks) {
    call(to -> {
      to.resized(capacityBlocks);
      return true;
    });
  }

  /** Returns the policy's explanation of an entry; null if it does not hold it. */
  public @Nullable Explanation explain(CacheEntry entry, int slot) {
    if (slot >= nodes.length || nodes[slot] == null || entry.slot != slot) {
      return null;
    }
    return call(
        to -> new Explanation(name, to.score(node(slot)), String.valueOf(to.explain(node(slot)))));
  }

  /** Returns what the policy has learned; null if it has nothing to keep. */
  public @Nullable PolicyState state() {
    return PolicyState.of(name, policy);
  }

  /** Returns a copy of the policy's gauges: a map of its own would keep its classes. */
  Map<String, Double> gauges() {
    return gauges.read(policy::gauges);
  }

  void close() {
    try {
      call(over -> {
        over.close();
        return true;
      });
    } finally {
      candidate.closed();
    }
  }

  private <T> T call(Function<BlockPolicy<N>, T> method) {
    try {
      return method.apply(policy);
    } catch (Throwable thrown) {
      throw fault(thrown);
    }
  }

  PolicyFault fault(Throwable thrown) {
    return PolicyFault.threw(name, thrown);
  }

  // The policy made the node and gets back its own type.
  @SuppressWarnings({"unchecked", "NullAway"})
  private N node(int slot) {
    return (N) nodes[slot];
  }

  private boolean overrides(String method, Class<?>... parameters) {
    try {
      return policy.getClass().getMethod(method, parameters).getDeclaringClass()
          != BlockPolicy.class;
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }
}
