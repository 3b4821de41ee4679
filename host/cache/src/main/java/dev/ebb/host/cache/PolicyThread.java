package dev.ebb.host.cache;

import dev.ebb.spi.Entry;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A thread of the host's on which one policy lives: it takes over the residents, hears the stream,
 * says who leaves, and is closed here. Only the policy's code runs long, and never under the
 * owner's lock; so the thread can be given up at any time.
 */
final class PolicyThread implements Runnable {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final long GAUGES_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int BEAT_EVERY = 256;

  private final PolicyConsumer<?> consumer;
  private final Thread thread;
  private final AtomicLong beats = new AtomicLong();

  /** Until it is given up: then nothing here is to keep the cache in memory. */
  private volatile @Nullable ThreadedPolicyExecutor seat;

  private final long begun = System.nanoTime();
  private @Nullable ResidentSnapshot handover;
  private volatile Map<String, Double> gauges = Map.of();
  private long gaugesRead = System.nanoTime();

  // What follows is guarded by the owner's lock, but that the thread itself reads what it took.

  final ArrayDeque<EventBatch> inbox = new ArrayDeque<>();
  final List<EventBatch> taken = new ArrayList<>();
  final ArrayDeque<PolicyQuery<?>> questions = new ArrayDeque<>();

  /** Events not yet read. */
  long queued;

  /** Knows all, and stands by. */
  boolean ready;

  boolean dismissed;
  boolean ended;
  @Nullable PolicyFault failure;
  private long inForceAt;
  private long answerNanos = -1;
  private long snapshotNanos;
  private long catchUpNanos;
  private long checkNanos;

  // Used by the thread alone.

  private final List<PolicyQuery<?>> answering = new ArrayList<>();
  private final EvictionDemand demand = new EvictionDemand();
  private @Nullable Entry offer;
  private boolean asked;
  private int wrongOffers;
  private long busyNanos;
  private long victimNanos;
  private long events;

  PolicyThread(ThreadedPolicyExecutor seat, PolicyConsumer<?> consumer, ResidentSnapshot handover) {
    this.seat = seat;
    this.consumer = consumer;
    this.handover = handover;
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

  EvictionDemand demand() {
    return demand;
  }

  Map<String, Double> gauges() {
    return gauges;
  }

  Thread thread() {
    return thread;
  }

  /** How long it has had a processor; 0 if the system does not tell. */
  long cpuNanos() {
    return Math.max(0, THREADS.getThreadCpuTime(thread.threadId()));
  }

  /** Whether it runs or would run: it neither sleeps nor waits for a lock. */
  boolean wantsProcessor() {
    return THREADS.isThreadCpuTimeSupported() && thread.getState() == Thread.State.RUNNABLE;
  }

  /** A number that grows with each step of the thread. */
  long beats() {
    return beats.get();
  }

  /** Whether the policy's code ran at such a beat. */
  static boolean inPolicy(long beat) {
    return (beat & 1) == 1;
  }

  void start() {
    thread.start();
  }

  /** Never waits for the policy again. */
  void abandon() {
    seat = null;
    thread.setName("ebb-policy-abandoned-" + consumer.name());
    thread.interrupt();
  }

  @Override
  public void run() {
    try {
      takeOver();
      boolean serving = handedOver();
      while (serving && prepare()) {
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

  private void takeOver() {
    if (handover == null) {
      return;
    }
    Iterable<CacheEntry> residents = handover.coldestFirst();
    handover = null;
    int count = 0;
    enter();
    for (CacheEntry entry : residents) {
      consumer.handOver(entry);
      if (++count % BEAT_EVERY == 0) {
        leave();
        enter();
      }
    }
    leave();
    snapshotNanos = System.nanoTime() - begun;
  }

  /** Reads what happened meanwhile, until it knows all. */
  private boolean handedOver() {
    long start = System.nanoTime();
    while (true) {
      long expected = catchUp();
      if (expected == ThreadedPolicyExecutor.DISMISSED) {
        return false;
      }
      read();
      if (expected != ThreadedPolicyExecutor.BEHIND) {
        long checked = System.nanoTime();
        catchUpNanos = checked - start;
        checkSize(expected);
        checkNanos = System.nanoTime() - checked;
        return ready();
      }
    }
  }

  private long catchUp() {
    ThreadedPolicyExecutor to = seat;
    return to == null ? ThreadedPolicyExecutor.DISMISSED : to.catchUp(this);
  }

  private boolean ready() {
    ThreadedPolicyExecutor to = seat;
    return to != null && to.ready(this);
  }

  private void checkSize(long expected) {
    enter();
    long size = consumer.size();
    leave();
    if (size != expected) {
      throw new PolicyFault(
          PolicyFault.Kind.WRONG_SIZE,
          "policy '%s' holds %d entries after taking over, and %d are resident"
              .formatted(consumer.name(), size, expected));
    }
  }

  private boolean prepare() {
    ThreadedPolicyExecutor to = seat;
    return to != null && to.prepare(this);
  }

  private void work() {
    read();
    if (!answering.isEmpty()) {
      enter();
      answering.forEach(question -> question.put(consumer));
      leave();
    }
    if (asked) {
      long start = System.nanoTime();
      enter();
      offer = consumer.ask(demand);
      leave();
      victimNanos = System.nanoTime() - start;
      busyNanos += victimNanos;
    }
    long now = System.nanoTime();
    if (now - gaugesRead >= GAUGES_EVERY_NANOS) {
      gaugesRead = now;
      enter();
      gauges = consumer.gauges();
      leave();
    }
  }

  private void read() {
    if (taken.isEmpty()) {
      return;
    }
    long start = System.nanoTime();
    for (int i = 0; i < taken.size(); i++) {
      EventBatch batch = taken.get(i);
      enter();
      consumer.accept(batch);
      leave();
      events += batch.size();
    }
    busyNanos += System.nanoTime() - start;
  }

  private void enter() {
    beats.setRelease(beats.getPlain() | 1);
  }

  private void leave() {
    beats.setRelease(beats.getPlain() + 1);
  }

  private void failed(PolicyFault fault) {
    ThreadedPolicyExecutor to = seat;
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
    ThreadedPolicyExecutor to = seat;
    if (to != null) {
      to.ended(this);
    }
  }

  // Called under the owner's lock.

  void putInForce() {
    inForceAt = System.nanoTime();
  }

  SwitchTimes times() {
    return ready
        ? new SwitchTimes(snapshotNanos, catchUpNanos, checkNanos, answerNanos)
        : SwitchTimes.NONE;
  }

  // The same, on this thread.

  /** Looks whether somebody needs the policy. */
  void looked() {
    if (answerNanos < 0) {
      answerNanos = System.nanoTime() - inForceAt;
    }
  }

  /** What the last look brought; null if nobody was asked. */
  boolean wasAsked() {
    return asked;
  }

  @Nullable Entry offer() {
    return offer;
  }

  void asks(boolean ask) {
    asked = ask;
    offer = null;
  }

  /** Counts an offer that was wrong, or forgets those before. */
  boolean patienceIsOver(boolean wrong) {
    wrongOffers = wrong ? wrongOffers + 1 : 0;
    return wrongOffers >= PolicyConsumer.PATIENCE;
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

  /** Ends the questions that were answered. Returns whether there were any. */
  boolean answered() {
    boolean any = !answering.isEmpty();
    answering.forEach(PolicyQuery::over);
    answering.clear();
    return any;
  }

  void nextQuestions() {
    answering.addAll(questions);
    questions.clear();
  }

  /** Nobody will answer. */
  void failQuestions() {
    answering.forEach(PolicyQuery::over);
    questions.forEach(PolicyQuery::over);
    questions.clear();
  }
}
