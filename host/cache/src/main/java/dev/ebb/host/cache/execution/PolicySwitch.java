package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.PendingSwitch;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.policy.SwitchTimes;
import dev.ebb.host.errors.UntrustedText;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The active policy and the one that takes over: one that an operator installs, or the built-in
 * order after a failure. In both cases it starts from a snapshot of the residents and catches up
 * with the stream. After a check of its count it becomes active, and the previous one is dismissed.
 * Used under the cache's monitor.
 */
final class PolicySwitch {

  /** A takeover may take this many times longer than an answer. */
  private static final int SWITCH_DEADLINES = 20;

  /** Events that a policy may still have to read when it is made active. */
  static final long MAX_UNREAD = 4_096;

  private final CacheMonitor monitor;
  private final CacheState state;
  private final EventFanout fanout;
  private final EvictionThresholds thresholds;
  private final ThreadedPolicyExecutor host;
  private final List<WeakReference<Thread>> abandoned = new ArrayList<>();
  private long abandonedCount;
  private @Nullable PolicyThread active;
  private @Nullable PolicyThread incoming;

  /** The incoming one if it becomes active without being published. */
  private @Nullable PolicyThread fallback;

  private @Nullable PolicyFault lastFault;
  private int lastId;
  private boolean closed;

  /** Without any policy, until {@link #fallBack} or {@link #begin}. */
  PolicySwitch(
      CacheMonitor monitor,
      CacheState state,
      EventFanout fanout,
      EvictionThresholds thresholds,
      ThreadedPolicyExecutor host) {
    this.monitor = monitor;
    this.state = state;
    this.fanout = fanout;
    this.thresholds = thresholds;
    this.host = host;
  }

  /** Returns the thread of the active policy; null while one takes over from one that failed. */
  @Nullable PolicyThread active() {
    return active;
  }

  /** Returns the same, after a wait if one takes over; null if none came. Releases the lock. */
  @Nullable PolicyThread awaitActive() {
    StallDetector stall = switchStall();
    while (active == null
        && incoming != null
        && !stall.isOver(incoming)
        && !stall.isStalled(incoming)) {
      PolicyThread awaited = incoming;
      stall.waited(awaited, monitor.awaitProgress(stall.sliceNanos()));
    }
    return active;
  }

  /** Returns the incoming policy, unless it is the built-in order, which is indispensable. */
  @Nullable PolicyThread candidate() {
    return incoming == fallback ? null : incoming;
  }

  boolean isClosed() {
    return closed;
  }

  @Nullable PolicyFault lastFault() {
    return lastFault;
  }

  long abandonedCount() {
    return abandonedCount;
  }

  int abandonedAlive() {
    abandoned.removeIf(reference -> {
      Thread thread = reference.get();
      return thread == null || !thread.isAlive();
    });
    return abandoned.size();
  }

  /** Starts a candidate's takeover, after waiting for another one. */
  PendingSwitch begin(PolicyCandidate candidate) {
    while (incoming != null && !closed) {
      monitor.awaitProgress();
    }
    if (closed) {
      throw new IllegalStateException("the cache is closed");
    }
    return new Takeover(start(candidate));
  }

  /** A takeover of a candidate, which becomes ready once it knows all events. */
  private final class Takeover implements PendingSwitch {

    private final PolicyThread next;

    private Takeover(PolicyThread next) {
      this.next = next;
    }

    @Override
    public void await() {
      StallDetector stall = switchStall();
      while (incoming == next && !(next.ready && next.inbox().unread() <= MAX_UNREAD)) {
        stall.waited(next, monitor.awaitProgress(stall.sliceNanos()));
        if (incoming == next && stall.isOver(next)) {
          abandon(next, PolicyFault.Kind.OVERRAN, "did not take over in time");
        }
      }
      check();
    }

    @Override
    public void check() {
      if (next.failure != null) {
        throw next.failure;
      }
      if (closed) {
        throw new IllegalStateException("the cache is closed");
      }
    }

    @Override
    public void publish() {
      check();
      activate(next);
    }

    @Override
    public void cancel() {
      if (next == incoming) {
        state.events.flush();
        incoming = null;
        dismiss(next);
        if (active == null && !closed) {
          fallBack();
        }
        monitor.signalProgress();
      }
    }

    @Override
    public SwitchTimes times() {
      return next.times();
    }
  }

  void fallBack() {
    fallback = start(new PolicyCandidate(BuiltInLru.NAME, new BuiltInLru()));
  }

  private PolicyThread start(PolicyCandidate candidate) {
    // Every earlier event is in the snapshot, and every later one in the inbox: none is in both.
    state.events.flush();
    PolicyConsumer<?> consumer = PolicyConsumer.of(candidate, ++lastId, state.counters.log(), null);
    PolicyThread thread =
        new PolicyThread(host, consumer, state.slots.snapshot(), new PartQuestion(state));
    thread.start();
    fanout.add(thread.inbox());
    incoming = thread;
    wantRequests();
    return thread;
  }

  /** Marks a policy that knows all events, and reads on. Returns false if it was dismissed. */
  boolean ready(PolicyThread thread) {
    if (thread != incoming) {
      return false;
    }
    thread.ready = true;
    if (thread == fallback) {
      activate(thread);
    }
    monitor.signalProgress();
    return true;
  }

  private void activate(PolicyThread thread) {
    if (thread != incoming) {
      return;
    }
    // The events so far are addressed to the policy before, which was refused the entries in them.
    state.events.flush();
    PolicyThread before = active;
    active = thread;
    incoming = null;
    fallback = null;
    state.activate(thread.consumer().id(), thread.consumer().name());
    state.admission.activate(thread.consumer().decidesAdmission());
    thread.activated();
    if (before != null) {
      dismiss(before);
    }
    monitor.signalWork();
    monitor.signalProgress();
  }

  void failed(PolicyThread thread, PolicyFault fault) {
    if (thread.dismissed) {
      return;
    }
    state.counters.failed(fault);
    thread.consumer().failed(fault);
    state.events.flush();
    thread.failure = fault;
    dismiss(thread);
    if (thread == active) {
      active = null;
      state.activate(0, state.policyName);
      state.admission.activate(false);
      lastFault = fault;
    } else {
      incoming = null;
    }
    boolean builtIn = thread.consumer().policy() instanceof BuiltInLru;
    if (active == null && incoming == null && !builtIn && !closed) {
      state.policyName = BuiltInLru.NAME;
      fallBack();
    }
    monitor.signalProgress();
  }

  /** Abandons a policy together with its thread. The fault tells what the thread executes. */
  void abandon(PolicyThread thread, PolicyFault.Kind kind, String reason) {
    if (thread.dismissed) {
      return;
    }
    failed(
        thread,
        new PolicyFault(
            kind,
            "policy '%s' %s".formatted(thread.consumer().name(), reason),
            UntrustedText.stack(thread.thread())));
    leaveBehind(thread);
  }

  private void leaveBehind(PolicyThread thread) {
    abandonedCount++;
    abandoned.add(new WeakReference<>(thread.thread()));
    thread.abandon();
  }

  private void dismiss(PolicyThread thread) {
    thread.dismissed = true;
    fanout.remove(thread.inbox());
    thread.failQueries();
    wantRequests();
    monitor.signalWork();
  }

  private void wantRequests() {
    state.events.policyWantsRequests(fanout.anyReader(PolicyConsumer::hearsRequests));
    state.events.missesWanted(fanout.anyReader(PolicyConsumer::hearsMisses));
  }

  private StallDetector switchStall() {
    return new StallDetector(thresholds.deadlineNanos() * SWITCH_DEADLINES);
  }

  /** Dismisses the policies, and waits until they are closed, unless one does not return. */
  void close() {
    closed = true;
    List<PolicyThread> ending = new ArrayList<>();
    for (PolicyThread thread : new PolicyThread[] {active, incoming}) {
      if (thread != null) {
        dismiss(thread);
        ending.add(thread);
      }
    }
    active = null;
    incoming = null;
    monitor.signalProgress();
    ending.forEach(this::awaitEnd);
  }

  private void awaitEnd(PolicyThread thread) {
    StallDetector stall = switchStall();
    while (!thread.ended && !stall.isOver(thread) && !stall.isStalled(thread)) {
      stall.waited(thread, monitor.awaitProgress(stall.sliceNanos()));
    }
    if (!thread.ended) {
      leaveBehind(thread);
    }
  }
}
