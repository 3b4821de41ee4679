package dev.ebb.host.cache;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * Which policy is in force, and who takes over: a policy put in by an operator, or the built-in
 * order where one has failed. Either way it starts from a snapshot of the residents, catches up
 * with the stream, has its count checked, and is put in force while the one before is let go. Used
 * under the owner's lock.
 */
final class PolicySwitch {

  /** A takeover may be this many times slower than an answer. */
  private static final int TAKEOVER_DEADLINES = 20;

  private final ThreadedPolicyExecutor seat;
  private final CacheState account;
  private final EventFanout distribution;

  /** Wakes whoever waits for a policy, and policies' threads. */
  private final Condition settled;

  private final Condition work;
  private final List<WeakReference<Thread>> abandoned = new ArrayList<>();
  private long abandonedCount;
  private @Nullable PolicyThread live;
  private @Nullable PolicyThread incoming;

  /** The one that does not wait to be published. */
  private @Nullable PolicyThread atOnce;

  private @Nullable PolicyFault lastFault;
  private int lastId;
  private boolean closed;

  PolicySwitch(
      ThreadedPolicyExecutor seat,
      CacheState account,
      EventFanout distribution,
      Condition settled,
      Condition work) {
    this.seat = seat;
    this.account = account;
    this.distribution = distribution;
    this.settled = settled;
    this.work = work;
  }

  /** The thread whose policy is in force; null while one takes over from one that failed. */
  @Nullable PolicyThread live() {
    return live;
  }

  /** The same, after a wait if one takes over; null if none came. Gives the lock up. */
  @Nullable PolicyThread awaitLive() {
    StallDetector patience = new StallDetector(seat.deadlineNanos() * TAKEOVER_DEADLINES);
    while (live == null
        && incoming != null
        && !patience.isOver(incoming)
        && !patience.isStalled(incoming)) {
      PolicyThread awaited = incoming;
      patience.waited(awaited, Uninterruptibles.slice(settled, patience.sliceNanos()));
    }
    return live;
  }

  /** Who takes over, unless it is the built-in order, which cannot be done without. */
  @Nullable PolicyThread takingOver() {
    return incoming == atOnce ? null : incoming;
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

  /** As {@link BlockCache#begin(PolicyCandidate)}. */
  PendingSwitch begin(PolicyCandidate successor) {
    while (incoming != null && !closed) {
      settled.awaitUninterruptibly();
    }
    if (closed) {
      throw new IllegalStateException("the cache is closed");
    }
    return new ThreadedPendingSwitch(this, start(successor));
  }

  /** Waits until a policy that takes over stands by. Gives the lock up. */
  void awaitReady(PolicyThread next) {
    StallDetector patience = new StallDetector(seat.deadlineNanos() * TAKEOVER_DEADLINES);
    while (incoming == next && !(next.ready && next.queued <= ThreadedPolicyExecutor.MOST_UNREAD)) {
      boolean whole = Uninterruptibles.slice(settled, patience.sliceNanos());
      patience.waited(next, whole);
      if (incoming == next && patience.isOver(next)) {
        abandon(next, PolicyFault.Kind.OVERRAN, "did not take over in time");
      }
    }
    if (next.failure != null) {
      throw next.failure;
    }
    if (closed) {
      throw new IllegalStateException("the cache is closed");
    }
  }

  /** Lets a policy go that was to take over. */
  void cancel(PolicyThread thread) {
    if (thread == incoming) {
      account.events.handOver();
      incoming = null;
      dismiss(thread);
      if (live == null && !closed) {
        fallBack();
      }
      settled.signalAll();
    }
  }

  /** Lets the built-in order take over, some time soon. */
  void fallBack() {
    atOnce = start(PolicyCandidate.of(BuiltInLru.NAME, new BuiltInLru()));
  }

  private PolicyThread start(PolicyCandidate successor) {
    account.events.handOver();
    PolicyConsumer<?> consumer = PolicyConsumer.of(successor, ++lastId, account.tally.log(), null);
    PolicyThread thread = new PolicyThread(seat, consumer, account.slots.handover());
    thread.start();
    distribution.add(thread);
    incoming = thread;
    hearRequests();
    return thread;
  }

  /** A policy knows all, and reads on. False if it is not wanted any more. */
  boolean ready(PolicyThread thread) {
    if (thread != incoming) {
      return false;
    }
    thread.ready = true;
    if (thread == atOnce) {
      putInForce(thread);
    }
    settled.signalAll();
    return true;
  }

  /** A policy that stands by is in force from now on. */
  void putInForce(PolicyThread thread) {
    if (thread != incoming) {
      return;
    }
    account.events.handOver();
    PolicyThread before = live;
    live = thread;
    incoming = null;
    atOnce = null;
    account.inForce = thread.consumer().id();
    account.policyName = thread.consumer().name();
    thread.putInForce();
    if (before != null) {
      dismiss(before);
    }
    work.signalAll();
    settled.signalAll();
  }

  /** A policy broke its contract. */
  void failed(PolicyThread thread, PolicyFault fault) {
    if (thread.dismissed) {
      return;
    }
    account.tally.failed(fault);
    thread.consumer().failed(fault);
    account.events.handOver();
    thread.failure = fault;
    dismiss(thread);
    if (thread == live) {
      live = null;
      account.inForce = 0;
      lastFault = fault;
    } else {
      incoming = null;
    }
    boolean builtIn = thread.consumer().policy() instanceof BuiltInLru;
    if (live == null && incoming == null && !builtIn && !closed) {
      account.policyName = BuiltInLru.NAME;
      fallBack();
    }
    settled.signalAll();
  }

  /** Gives a policy up together with its thread. */
  void abandon(PolicyThread thread, PolicyFault.Kind kind, String reason) {
    if (thread.dismissed) {
      return;
    }
    failed(
        thread,
        new PolicyFault(kind, "policy '%s' %s".formatted(thread.consumer().name(), reason)));
    abandonedCount++;
    abandoned.add(new WeakReference<>(thread.thread()));
    thread.abandon();
  }

  private void dismiss(PolicyThread thread) {
    thread.dismissed = true;
    distribution.remove(thread);
    thread.failQuestions();
    hearRequests();
    work.signalAll();
  }

  private void hearRequests() {
    account.events.policyHearsRequests(distribution.anyHearsRequests());
  }

  /** Lets the policies go, and waits until they are closed, unless one does not come back. */
  void close() {
    closed = true;
    List<PolicyThread> going = new ArrayList<>();
    for (PolicyThread thread : new PolicyThread[] {live, incoming}) {
      if (thread != null) {
        dismiss(thread);
        going.add(thread);
      }
    }
    live = null;
    incoming = null;
    settled.signalAll();
    for (PolicyThread thread : going) {
      StallDetector patience = new StallDetector(seat.deadlineNanos() * TAKEOVER_DEADLINES);
      while (!thread.ended && !patience.isOver(thread) && !patience.isStalled(thread)) {
        patience.waited(thread, Uninterruptibles.slice(settled, patience.sliceNanos()));
      }
      if (!thread.ended) {
        abandonedCount++;
        abandoned.add(new WeakReference<>(thread.thread()));
        thread.abandon();
      }
    }
  }
}
