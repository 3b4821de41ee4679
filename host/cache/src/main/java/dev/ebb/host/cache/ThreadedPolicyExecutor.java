package dev.ebb.host.cache;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The policy runs on a thread of its own ({@link PolicyThread}). What is here runs under the
 * owner's lock: whoever uses the cache hands over events and never waits for the policy, but for
 * room, with a deadline.
 */
final class ThreadedPolicyExecutor implements PolicyExecutor {

  /** Answers of {@link #catchUp}. */
  static final long DISMISSED = -1;

  static final long BEHIND = -2;

  /** Events that a policy in force may be behind. */
  static final long MOST_BEHIND = 1 << 20;

  /** Events that one may be behind which takes over: it hears of the residents first. */
  static final long MOST_BEHIND_AT_FIRST = MOST_BEHIND << 2;

  /** Events that a policy may still have to read when it is put in force. */
  static final long MOST_UNREAD = 4_096;

  /** How long an event may wait for others before the policy hears of it. */
  private static final long BATCH_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  private final ReentrantLock lock;
  private final CacheState account;
  private final EventStream events;
  private EvictionLimits limits;
  private final EventFanout distribution;
  private final PolicySwitch succession;
  private final SpaceQueue claims;
  private final Condition work;
  private final Condition settled;
  private boolean draining;
  private int asleep;
  private EvictedBy orderedBy = EvictedBy.BACKGROUND;
  private @Nullable PassMeter pass;
  private long busyNanos;
  private long eventsRead;

  /**
   * A seat whose first policy is the built-in order.
   *
   * @param lock the owner's, held whenever the cache is used
   */
  ThreadedPolicyExecutor(ReentrantLock lock, CacheState account, EvictionLimits limits) {
    this.lock = lock;
    this.account = account;
    this.limits = limits;
    events = account.events;
    work = lock.newCondition();
    settled = lock.newCondition();
    distribution = new EventFanout(account.slots);
    succession = new PolicySwitch(this, account, distribution, settled, work);
    claims = new SpaceQueue(this, account, succession, settled, work);
    events.connect(this, true);
    lock.lock();
    try {
      succession.fallBack();
    } finally {
      lock.unlock();
    }
  }

  /** Changes when it evicts, from the next look on, and how long others wait. */
  void limits(EvictionLimits newLimits) {
    limits = newLimits;
    work.signalAll();
  }

  long deadlineNanos() {
    return limits.deadline().toNanos();
  }

  @Override
  public EventBatch accept(EventBatch filled) {
    filled.addressee = account.inForce;
    work.signalAll();
    return distribution.exchange(filled);
  }

  @Override
  public void stirred() {
    if (asleep > 0) {
      work.signalAll();
    }
  }

  @Override
  public void rest() {
    refuseBehind(succession.live(), MOST_BEHIND);
    refuseBehind(succession.takingOver(), MOST_BEHIND_AT_FIRST);
  }

  /** What waits for a policy that does not keep up would fill the memory. */
  private void refuseBehind(@Nullable PolicyThread thread, long most) {
    if (thread != null && thread.queued > most) {
      succession.abandon(
          thread, PolicyFault.Kind.FELL_BEHIND, "is more than %d events behind".formatted(most));
    }
  }

  @Override
  public void roomMade() {
    claims.look();
  }

  @Override
  public PendingSwitch begin(PolicyCandidate successor) {
    return succession.begin(successor);
  }

  @Override
  public boolean makeRoom(long blocks, RequestFacts asker) {
    if (!claims.isEmpty() || account.missing(blocks) > 0) {
      return blocks <= account.capacity() && claims.await(SpaceRequest.forRoom(blocks, asker));
    }
    if (!draining && account.occupied() + blocks > share(limits.threshold())) {
      draining = true;
      work.signalAll();
    }
    return true;
  }

  @Override
  public long evict(long blocks, Demand.Reason reason, RequestFacts asker) {
    if (blocks <= 0) {
      return 0;
    }
    SpaceRequest claim = SpaceRequest.forEviction(blocks, reason, asker);
    claims.await(claim);
    return claim.freed();
  }

  @Override
  public void resized(long capacityBlocks) {
    ask(policy -> {
      policy.resized(capacityBlocks);
      return null;
    });
  }

  @Override
  public <T> @Nullable T ask(Function<PolicyConsumer<?>, @Nullable T> question) {
    PolicyThread live = succession.awaitLive();
    if (live == null) {
      return null;
    }
    PolicyQuery<T> asked = new PolicyQuery<>(question);
    live.questions.add(asked);
    work.signalAll();
    StallDetector patience = new StallDetector(deadlineNanos());
    while (!asked.isOver() && !patience.isStalled(live)) {
      patience.waited(live, Uninterruptibles.slice(settled, patience.sliceNanos()));
      if (!asked.isOver() && patience.isOver(live)) {
        succession.abandon(live, PolicyFault.Kind.OVERRAN, "did not answer a question in time");
      }
    }
    return asked.answer();
  }

  @Override
  public @Nullable PolicyFault lastFault() {
    return succession.lastFault();
  }

  @Override
  public PolicyThreadStats thread() {
    PolicyThread live = succession.live();
    return new PolicyThreadStats(
        events.size() + (live == null ? 0 : live.queued),
        eventsRead,
        busyNanos,
        account.tally.victims.copy(),
        claims.waits(),
        succession.abandonedCount(),
        succession.abandonedAlive());
  }

  @Override
  public Map<String, Double> gauges() {
    PolicyThread live = succession.live();
    return live == null ? Map.of() : live.gauges();
  }

  @Override
  public void close() {
    succession.close();
  }

  // What follows is called by policies' threads.

  /**
   * Hands a policy that takes over what happened meanwhile.
   *
   * @return how many entries it holds once it has read that; BEHIND if it is not to stop there;
   *     DISMISSED
   */
  long catchUp(PolicyThread thread) {
    lock.lock();
    try {
      if (thread.dismissed) {
        return DISMISSED;
      }
      distribution.readBy(thread);
      events.handOver();
      distribution.take(thread);
      return thread.queued > MOST_UNREAD ? BEHIND : account.slots.publishedCount();
    } finally {
      lock.unlock();
    }
  }

  /** A policy knows all. False if it is not wanted any more. */
  boolean ready(PolicyThread thread) {
    lock.lock();
    try {
      return succession.ready(thread);
    } finally {
      lock.unlock();
    }
  }

  void failed(PolicyThread thread, PolicyFault fault) {
    lock.lock();
    try {
      succession.failed(thread, fault);
    } finally {
      lock.unlock();
    }
  }

  void ended(PolicyThread thread) {
    lock.lock();
    try {
      thread.ended = true;
      settled.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * One look of the policy in force: what it answered is acted on, and it gets what there is to
   * read and to answer. Waits until there is something.
   *
   * @return false if it is not wanted any more
   */
  boolean prepare(PolicyThread thread) {
    lock.lock();
    try {
      if (thread.dismissed) {
        return false;
      }
      account(thread);
      if (thread.wasAsked()) {
        account.tally.victims.add(thread.victimNanos());
        judge(thread);
      }
      boolean waited = false;
      while (!order(thread) && thread.inbox.isEmpty() && thread.questions.isEmpty()) {
        // A batch that is being filled is taken when it was not full after a while.
        if (waited && !events.isEmpty()) {
          break;
        }
        waited = await();
        if (thread.dismissed) {
          return false;
        }
      }
      events.handOver();
      distribution.take(thread);
      thread.nextQuestions();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void account(PolicyThread thread) {
    distribution.readBy(thread);
    busyNanos += thread.takeBusyNanos();
    eventsRead += thread.takeEvents();
    if (thread.answered()) {
      settled.signalAll();
    }
  }

  /** Waits for work. Returns whether events may have waited long enough. */
  // Only the caller, in its loop, can see whether there is work.
  @SuppressWarnings("WaitNotInLoop")
  private boolean await() {
    if (!events.isEmpty()) {
      return Uninterruptibles.slice(work, BATCH_DELAY_NANOS);
    }
    asleep++;
    work.awaitUninterruptibly();
    asleep--;
    return false;
  }

  /** Acts on an offer. */
  private void judge(PolicyThread thread) {
    Entry offered = thread.offer();
    PolicyConsumer<?> policy = thread.consumer();
    if (offered == null) {
      if (account.evictable() > 0 && thread.inbox.isEmpty() && events.isEmpty()) {
        throw PolicyFault.offersNothing(policy.name(), account.evictable(), account.resident());
      }
      return;
    }
    String wrong = policy.wrong(offered, account.slots);
    if (thread.patienceIsOver(wrong != null)) {
      throw policy.keepsOffering(String.valueOf(wrong));
    }
    // One that has left meanwhile needs no answer: that it left is on its way.
    CacheEntry entry = HandedOverEntry.unwrap(offered);
    if (wrong != null || entry == null || !entry.resident()) {
      return;
    }
    if (!entry.evictable()) {
      account.refuse(entry);
      return;
    }
    account.drop(entry, RemovalCause.EVICTED, orderedBy);
    SpaceRequest claim = claims.first();
    if (pass != null) {
      pass.evicted(entry.blocks);
    }
    if (claim != null) {
      claim.evicted(entry.blocks);
      if (claim.isMet(account, spare())) {
        claims.look();
      }
    }
  }

  /** Says what the policy is to be asked. Returns false if nothing is wanted of it. */
  private boolean order(PolicyThread thread) {
    if (thread != succession.live()) {
      thread.asks(false);
      return false;
    }
    thread.looked();
    SpaceRequest claim = claims.first();
    boolean demanded = claim != null && claim.missing(account) > 0;
    long wanted = 0;
    if (!(thread.consumer().policy() instanceof NoEviction)) {
      wanted = claim == null || !demanded ? surplus() : claim.possible(account);
    }
    wanted = Math.min(wanted, account.evictable());
    orderedBy = demanded ? EvictedBy.DEMAND : EvictedBy.BACKGROUND;
    Demand.Reason reason = claim == null || !demanded ? Demand.Reason.BACKGROUND : claim.reason();
    measure(thread.consumer().name(), reason, wanted);
    thread.asks(wanted > 0);
    if (wanted == 0) {
      claims.look();
    } else {
      RequestFacts asker = claim == null || !demanded ? RequestFacts.UNKNOWN : claim.asker();
      thread.demand().set(wanted, reason, asker);
    }
    return wanted > 0;
  }

  private long surplus() {
    long occupied = account.occupied();
    if (occupied > share(limits.threshold())) {
      draining = true;
    } else if (occupied <= share(limits.target())) {
      draining = false;
    }
    return draining ? Math.max(0, occupied - share(limits.target())) : 0;
  }

  /**
   * Waking somebody for each entry that leaves costs more than all else. While eviction ahead of
   * demand goes on anyway, an eighth of its headroom is made first.
   */
  private long spare() {
    return draining ? (account.capacity() - share(limits.threshold())) / 8 : 0;
  }

  private long share(double of) {
    return (long) (of * account.capacity());
  }

  /** Ends and begins the runs of evictions. */
  private void measure(String policy, Demand.Reason reason, long wanted) {
    if (pass != null && (wanted == 0 || pass.reason() != reason)) {
      pass.end(policy);
      pass = null;
    }
    if (wanted > 0 && pass == null) {
      pass = new PassMeter(account, reason, orderedBy, wanted);
    } else if (pass != null) {
      pass.asks(wanted);
    }
  }
}
