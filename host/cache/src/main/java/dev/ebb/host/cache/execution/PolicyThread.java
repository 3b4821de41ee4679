package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.AdmissionCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.HandedOverEntry;
import dev.ebb.host.cache.index.ResidentSnapshot;
import dev.ebb.host.cache.policy.AdmissionUse;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.policy.SwitchTimes;
import dev.ebb.spi.Entry;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread on which one policy runs: it takes over the residents, reads the stream, offers
 * victims, and is closed here. Only the policy's code runs long, and never under the cache's
 * monitor, so the thread can be abandoned at any time.
 */
final class PolicyThread implements Runnable {

  static final long DISMISSED = -1;

  static final long BEHIND = -2;

  private static final Logger LOG = LoggerFactory.getLogger(PolicyThread.class);

  /** A policy that decides on admission has decided before so many evictions. */
  private static final long MANY_EVICTIONS = 10_000;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final long GAUGES_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int BEAT_EVERY = 256;

  private final PolicyConsumer<?> consumer;
  private final Thread thread;
  private final AtomicLong beats = new AtomicLong();

  /** Null once it is abandoned: nothing here may keep the cache in memory then. */
  private volatile @Nullable ThreadedPolicyExecutor host;

  private final long begun = System.nanoTime();
  private @Nullable ResidentSnapshot snapshot;
  private volatile Map<String, Double> gauges = Map.of();
  private long gaugesRead = System.nanoTime();

  // Guarded by the cache's monitor.

  private final EventInbox inbox;
  private final ArrayDeque<PolicyQuery<?>> queries = new ArrayDeque<>();

  /** It knows all events and can be made active. */
  boolean ready;

  boolean dismissed;
  boolean ended;
  @Nullable PolicyFault failure;
  private long activeSince;
  private boolean answered;
  private long snapshotNanos;
  private long catchUpNanos;
  private long checkNanos;

  // Used by the thread alone.

  private final List<PolicyQuery<?>> answering = new ArrayList<>();
  private final EvictionDemand demand = new EvictionDemand();
  private final PartQuestion parts;
  private @Nullable Entry offer;
  private boolean asked;

  /** What the policy did not admit in place of its offer; null if it was not asked or agreed. */
  private @Nullable AdmissionCandidate rejected;

  private int wrongOffers;
  private long evictions;
  private long busyNanos;
  private long victimNanos;
  private long events;

  PolicyThread(
      ThreadedPolicyExecutor host,
      PolicyConsumer<?> consumer,
      ResidentSnapshot snapshot,
      PartQuestion parts) {
    this.host = host;
    this.parts = parts;
    this.consumer = consumer;
    inbox = new EventInbox(consumer);
    this.snapshot = snapshot;
    thread =
        Thread.ofPlatform()
            .daemon(true)
            .inheritInheritableThreadLocals(false)
            .name("ebb-policy-" + consumer.name())
            .unstarted(this);
    thread.setContextClassLoader(consumer.policy().getClass().getClassLoader());
  }

  PolicyConsumer<?> consumer() {
    return consumer;
  }

  EventInbox inbox() {
    return inbox;
  }

  EvictionDemand demand() {
    return demand;
  }

  PartQuestion parts() {
    return parts;
  }

  Map<String, Double> gauges() {
    return gauges;
  }

  Thread thread() {
    return thread;
  }

  long cpuNanos() {
    return Math.max(0, THREADS.getThreadCpuTime(thread.threadId()));
  }

  boolean wantsProcessor() {
    return THREADS.isThreadCpuTimeSupported() && thread.getState() == Thread.State.RUNNABLE;
  }

  /** Returns a number that grows with each step of the thread. */
  long beats() {
    return beats.get();
  }

  /** Returns whether the policy's code ran at such a beat. */
  static boolean inPolicy(long beat) {
    return (beat & 1) == 1;
  }

  void start() {
    thread.start();
  }

  /** Leaves the thread to itself: nothing waits for it any more. */
  void abandon() {
    host = null;
    thread.setName("ebb-policy-abandoned-" + consumer.name());
    thread.interrupt();
  }

  @Override
  public void run() {
    try {
      loadResidents();
      boolean serving = catchUpFully();
      while (serving && nextWork()) {
        work();
      }
    } catch (PolicyFault fault) {
      failed(fault);
    } catch (Throwable thrown) {
      failed(consumer.fault(thrown));
    } finally {
      end();
    }
  }

  private void loadResidents() {
    if (snapshot == null) {
      return;
    }
    Iterable<CacheEntry> residents = snapshot.coldestFirst();
    snapshot = null;
    int count = 0;
    beginCall();
    for (CacheEntry entry : residents) {
      consumer.insertResident(entry);
      if (++count % BEAT_EVERY == 0) {
        endCall();
        beginCall();
      }
    }
    endCall();
    snapshotNanos = System.nanoTime() - begun;
  }

  /** Reads what happened meanwhile, until it knows all. */
  private boolean catchUpFully() {
    long start = System.nanoTime();
    while (true) {
      long expected = catchUp();
      if (expected == DISMISSED) {
        return false;
      }
      read();
      if (expected != BEHIND) {
        long checked = System.nanoTime();
        catchUpNanos = checked - start;
        beginCall();
        consumer.checkSize(expected);
        endCall();
        checkNanos = System.nanoTime() - checked;
        return ready();
      }
    }
  }

  private long catchUp() {
    ThreadedPolicyExecutor to = host;
    return to == null ? DISMISSED : to.catchUp(this);
  }

  private boolean ready() {
    ThreadedPolicyExecutor to = host;
    return to != null && to.ready(this);
  }

  private boolean nextWork() {
    ThreadedPolicyExecutor to = host;
    return to != null && to.nextWork(this);
  }

  private void work() {
    read();
    if (!answering.isEmpty()) {
      beginCall();
      answering.forEach(query -> query.run(consumer));
      endCall();
    }
    if (asked) {
      long start = System.nanoTime();
      beginCall();
      offer = parts.ask(consumer, demand) ? null : consumer.ask(demand);
      rejected = offer == null ? null : rejectedFor(offer);
      endCall();
      victimNanos = System.nanoTime() - start;
      busyNanos += victimNanos;
    }
    long now = System.nanoTime();
    if (now - gaugesRead >= GAUGES_EVERY_NANOS) {
      gaugesRead = now;
      beginCall();
      gauges = consumer.gauges();
      endCall();
    }
  }

  private @Nullable AdmissionCandidate rejectedFor(Entry offered) {
    AdmissionCandidate newcomer = demand.newcomer;
    CacheEntry entry = HandedOverEntry.unwrap(offered);
    if (newcomer == null || entry == null || !newcomer.competesWith(entry)) {
      return null;
    }
    return consumer.admits(newcomer, demand.newcomerFreed, entry) ? null : newcomer;
  }

  private void read() {
    List<EventBatch> taken = inbox.taken;
    if (taken.isEmpty()) {
      return;
    }
    long start = System.nanoTime();
    for (int i = 0; i < taken.size(); i++) {
      EventBatch batch = taken.get(i);
      beginCall();
      consumer.accept(batch);
      endCall();
      events += batch.size();
    }
    busyNanos += System.nanoTime() - start;
  }

  private void beginCall() {
    beats.setRelease(beats.getPlain() | 1);
  }

  private void endCall() {
    beats.setRelease(beats.getPlain() + 1);
  }

  private void failed(PolicyFault fault) {
    ThreadedPolicyExecutor to = host;
    if (to != null) {
      to.failed(this, fault);
    }
  }

  private void end() {
    try {
      consumer.close();
    } catch (PolicyFault late) {
      // Nothing depends on it any more.
    }
    ThreadedPolicyExecutor to = host;
    if (to != null) {
      to.ended(this);
    }
  }

  // Called under the cache's monitor.

  void activated() {
    activeSince = System.nanoTime();
  }

  /** Counts an eviction of an entry that it offered. */
  void evicted() {
    if (++evictions == MANY_EVICTIONS && consumer.decidesAdmission() && consumer.questions() == 0) {
      LOG.warn(
          "policy was never asked to admit a block policy={} evictions={}",
          consumer.name(),
          evictions);
    }
  }

  /** Returns how often the policy decided; null if it admits all. */
  @Nullable AdmissionUse admission(long rejectedBlocks) {
    return consumer.decidesAdmission()
        ? new AdmissionUse(consumer.questions(), evictions, rejectedBlocks)
        : null;
  }

  SwitchTimes times() {
    return ready ? new SwitchTimes(snapshotNanos, catchUpNanos, checkNanos) : SwitchTimes.NONE;
  }

  // Called under the monitor by this thread.

  void looked() {
    if (!answered) {
      answered = true;
      consumer.answered(System.nanoTime() - activeSince);
    }
  }

  boolean wasAsked() {
    return asked;
  }

  @Nullable Entry offer() {
    return offer;
  }

  /** Returns what the policy did not admit, because it keeps the offered entry. */
  @Nullable AdmissionCandidate rejected() {
    return rejected;
  }

  void asks(boolean ask) {
    asked = ask;
    offer = null;
    rejected = null;
  }

  /** Counts wrong offers in a row. Returns whether there were too many. */
  boolean tooManyWrongOffers(boolean wrong) {
    wrongOffers = wrong ? wrongOffers + 1 : 0;
    return wrongOffers >= PolicyConsumer.MAX_WRONG_OFFERS;
  }

  long victimNanos() {
    return victimNanos;
  }

  long takeBusyNanos() {
    long nanos = busyNanos;
    busyNanos = 0;
    return nanos;
  }

  long takeEvents() {
    long count = events;
    events = 0;
    return count;
  }

  boolean hasQueries() {
    return !queries.isEmpty();
  }

  void add(PolicyQuery<?> query) {
    queries.add(query);
  }

  /** Ends the queries that were answered. Returns whether there were any. */
  boolean answered() {
    boolean any = !answering.isEmpty();
    end(answering);
    return any;
  }

  void nextQueries() {
    answering.addAll(queries);
    queries.clear();
  }

  /** Ends all queries without an answer. */
  void failQueries() {
    answering.forEach(query -> query.over = true);
    end(queries);
  }

  private static void end(Collection<PolicyQuery<?>> queries) {
    queries.forEach(query -> query.over = true);
    queries.clear();
  }

  /** A query that a policy answers on its own thread. */
  static final class PolicyQuery<T> {

    private final Function<PolicyConsumer<?>, @Nullable T> function;
    private @Nullable T answer;

    /** It has ended, answered or not. Guarded by the cache's monitor. */
    boolean over;

    PolicyQuery(Function<PolicyConsumer<?>, @Nullable T> function) {
      this.function = function;
    }

    private void run(PolicyConsumer<?> consumer) {
      answer = function.apply(consumer);
    }

    @Nullable T answer() {
      return answer;
    }
  }
}
