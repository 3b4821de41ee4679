package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.AdmissionCandidate;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.EventStream;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.AdmissionUse;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.PendingSwitch;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.PolicyThreadStats;
import dev.ebb.spi.Demand;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the policy on its own thread ({@link PolicyThread}). The owner's threads call it under the
 * cache's monitor: they hand over events and never wait for the policy, except for space, with a
 * deadline.
 */
public final class ThreadedPolicyExecutor implements PolicyExecutor {

  public static final long MAX_BEHIND = 1 << 20;

  /** Events that an incoming policy may be behind: it reads the residents first. */
  public static final long MAX_BEHIND_INCOMING = MAX_BEHIND << 2;

  /** The delay after which a policy reads events of an incomplete batch. */
  private static final long BATCH_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  private final CacheMonitor monitor;
  private final CacheState state;
  private final EventStream events;
  private final EvictionThresholds thresholds;
  private final EventFanout fanout;
  private final PolicySwitch policySwitch;
  private final SpaceQueue queue;
  private final EvictionDriver driver;

  private long busyNanos;
  private long eventsRead;

  public ThreadedPolicyExecutor(CacheMonitor monitor, CacheState state, EvictionLimits limits) {
    this.monitor = monitor;
    this.state = state;
    events = state.events;
    thresholds = new EvictionThresholds(state, limits);
    fanout = new EventFanout(state.slots);
    policySwitch = new PolicySwitch(monitor, state, fanout, thresholds, this);
    queue = new SpaceQueue(monitor, state, policySwitch, thresholds);
    driver = new EvictionDriver(state, thresholds, queue);
    events.connectLate(this::accept, monitor::signalIdlePolicies);
    monitor.lock();
    try {
      policySwitch.fallBack();
    } finally {
      monitor.unlock();
    }
  }

  private EventBatch accept(EventBatch filled) {
    filled.addressee = state.activeId;
    monitor.signalWork();
    return fanout.exchange(filled);
  }

  @Override
  public void limits(EvictionLimits limits) {
    thresholds.limits(limits);
    monitor.signalWork();
  }

  @Override
  public void spaceFreed() {
    if (state.spaceAwaited) {
      queue.check();
    }
  }

  @Override
  public void operationEnded() {
    if (fanout.behind) {
      fanout.behind = false;
      refuseBehind(policySwitch.active(), MAX_BEHIND);
      refuseBehind(policySwitch.candidate(), MAX_BEHIND_INCOMING);
    }
  }

  /** Abandons a policy that is too far behind: the waiting events would fill the memory. */
  private void refuseBehind(@Nullable PolicyThread thread, long most) {
    if (thread != null && thread.inbox().unread() > most) {
      policySwitch.abandon(
          thread, PolicyFault.Kind.FELL_BEHIND, "is more than %d events behind".formatted(most));
    }
  }

  @Override
  public PendingSwitch begin(PolicyCandidate candidate) {
    return policySwitch.begin(candidate);
  }

  @Override
  public boolean makeRoom(long blocks, RequestFacts asker, @Nullable AdmissionCandidate newcomer) {
    if (state.respectsPriority()) {
      driver.takesSpace(asker);
    }
    if (state.spaceAwaited || state.missing(blocks) > 0) {
      return blocks <= state.capacity()
          && await(SpaceRequest.forRoom(blocks, asker, frozen(newcomer)), newcomer);
    }
    if (!state.decidesOnCached && thresholds.startsWith(blocks)) {
      monitor.signalWork();
    }
    return true;
  }

  /** Returns a newcomer that the policy's thread can read; null if the policy admits all. */
  private @Nullable AdmissionCandidate frozen(@Nullable AdmissionCandidate newcomer) {
    PolicyThread active = policySwitch.active();
    return newcomer != null && active != null && active.consumer().decidesAdmission()
        ? newcomer.frozen()
        : null;
  }

  private boolean await(SpaceRequest request, @Nullable AdmissionCandidate newcomer) {
    boolean met = queue.await(request);
    if (newcomer != null) {
      newcomer.rejected = request.isRejected();
    }
    return met;
  }

  @Override
  public long evict(
      long blocks,
      Demand.Reason reason,
      RequestFacts asker,
      @Nullable AdmissionCandidate newcomer) {
    if (blocks <= 0) {
      return 0;
    }
    if (reason == Demand.Reason.ALLOCATION && state.respectsPriority()) {
      driver.takesSpace(asker);
    }
    SpaceRequest request = SpaceRequest.forEviction(blocks, reason, asker, frozen(newcomer));
    await(request, newcomer);
    return request.freed();
  }

  @Override
  public void resized(long capacityBlocks) {
    ask(policy -> {
      policy.resized(capacityBlocks);
      return null;
    });
    spaceFreed();
  }

  @Override
  public <T> @Nullable T ask(Function<PolicyConsumer<?>, @Nullable T> function) {
    PolicyThread active = policySwitch.awaitActive();
    if (active == null) {
      return null;
    }
    PolicyThread.PolicyQuery<T> query = new PolicyThread.PolicyQuery<>(function);
    active.add(query);
    monitor.signalWork();
    StallDetector stall = new StallDetector(thresholds.deadlineNanos());
    while (!query.over && !stall.isStalled(active)) {
      stall.waited(active, monitor.awaitProgress(stall.sliceNanos()));
      if (!query.over && stall.isOver(active)) {
        policySwitch.abandon(active, PolicyFault.Kind.OVERRAN, "did not answer a question in time");
      }
    }
    return query.answer();
  }

  @Override
  public @Nullable PolicyFault lastFault() {
    return policySwitch.lastFault();
  }

  @Override
  public PolicyThreadStats thread() {
    PolicyThread active = policySwitch.active();
    return new PolicyThreadStats(
        events.size() + (active == null ? 0 : active.inbox().unread()),
        eventsRead,
        busyNanos,
        state.counters.victims.copy(),
        queue.waits(),
        queue.size(),
        policySwitch.abandonedCount(),
        policySwitch.abandonedAlive());
  }

  @Override
  public @Nullable AdmissionUse admission() {
    PolicyThread active = policySwitch.active();
    return active == null ? null : active.admission(state.counters.rejected);
  }

  @Override
  public Map<String, Double> gauges() {
    PolicyThread active = policySwitch.active();
    return active == null ? Map.of() : active.gauges();
  }

  @Override
  public void close() {
    policySwitch.close();
  }

  // Called by the policies' threads: each enters the monitor.

  /**
   * Hands an incoming policy the events since its last call. Returns how many entries it holds once
   * it has read them; BEHIND if it has to call again; DISMISSED.
   */
  long catchUp(PolicyThread thread) {
    monitor.lock();
    try {
      if (thread.dismissed) {
        return PolicyThread.DISMISSED;
      }
      fanout.takeBack(thread.inbox());
      events.flush();
      thread.inbox().takeAll();
      return thread.inbox().unread() > PolicySwitch.MAX_UNREAD
          ? PolicyThread.BEHIND
          : state.slots.publishedCount();
    } finally {
      monitor.unlock();
    }
  }

  /** Marks an incoming policy that knows all events. Returns false if it was dismissed. */
  boolean ready(PolicyThread thread) {
    monitor.lock();
    try {
      return policySwitch.ready(thread);
    } finally {
      monitor.unlock();
    }
  }

  void failed(PolicyThread thread, PolicyFault fault) {
    monitor.lock();
    try {
      policySwitch.failed(thread, fault);
    } finally {
      monitor.unlock();
    }
  }

  void ended(PolicyThread thread) {
    monitor.lock();
    try {
      thread.ended = true;
      monitor.signalProgress();
    } finally {
      monitor.unlock();
    }
  }

  /** Processes the last answers and waits for work. Returns false if the policy was dismissed. */
  boolean nextWork(PolicyThread thread) {
    monitor.lock();
    try {
      if (thread.dismissed) {
        return false;
      }
      collect(thread);
      awaitWork(thread);
      if (thread.dismissed) {
        return false;
      }
      events.flush();
      thread.inbox().takeAll();
      thread.nextQueries();
      return true;
    } finally {
      monitor.unlock();
    }
  }

  /** Takes back the batches that the thread has read, and processes its answers. */
  private void collect(PolicyThread thread) {
    fanout.takeBack(thread.inbox());
    busyNanos += thread.takeBusyNanos();
    eventsRead += thread.takeEvents();
    if (thread.answered()) {
      monitor.signalProgress();
    }
    if (thread.wasAsked()) {
      state.counters.victims.add(thread.victimNanos());
      driver.accept(thread, thread.inbox().isEmpty() && events.isEmpty());
    }
  }

  /** Waits until there is work for the thread, or it is dismissed. */
  private void awaitWork(PolicyThread thread) {
    boolean delayed = false;
    while (!thread.dismissed
        && !asksVictim(thread)
        && thread.inbox().isEmpty()
        && !thread.hasQueries()) {
      // A batch that is not full is handed over after the delay.
      if (delayed && !events.isEmpty()) {
        return;
      }
      if (events.isEmpty()) {
        monitor.awaitWork();
        delayed = false;
      } else {
        delayed = monitor.awaitWork(BATCH_DELAY_NANOS);
      }
    }
  }

  private boolean asksVictim(PolicyThread thread) {
    if (thread != policySwitch.active()) {
      thread.asks(false);
      return false;
    }
    thread.looked();
    return driver.ask(thread);
  }
}
