package dev.ebb.host.shadow;

import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.shadow.ShadowReport.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs a shadow policy for all partitions on its own thread. No thread waits for it. Batches are
 * dropped if it does not keep up, and a thread that does not return is abandoned.
 */
final class Shadow implements Runnable {

  /** The queue capacity in batches; further batches are dropped. */
  private static final int MOST_BEHIND = 256;

  /** The number of checks, 200 ms apart, after which a busy thread is abandoned. */
  private static final int MAX_LOOKS = 50;

  private static final int FEW_ENTRIES = 100;

  /** A cache with more memory than the live one may never be full. */
  private static final int LONG = 8;

  private final String name;
  private final ShadowSpec spec;
  private final String code;
  private final PolicySource source;
  private final List<PolicyPlace> places;
  private final @Nullable EvictionLimits limits;
  private final Sampling sampling;
  private final boolean grouped;
  private final ArrayBlockingQueue<AccessBatch> queue = new ArrayBlockingQueue<>(MOST_BEHIND);
  private final List<ShadowPolicy> candidates = new ArrayList<>();
  private final List<Seeds> seeds = new ArrayList<>();
  private final AtomicLong dropped = new AtomicLong();
  private final Thread thread;
  private volatile boolean stopped;
  private volatile @Nullable String failure;
  private volatile long beats;
  private volatile Seen seen = new Seen(new Counts(), 0, false, 0, Double.NaN);
  private long beatSeen;
  private int looks;

  private record Seen(
      Counts counts, int epoch, boolean warm, long entries, double nanosPerAccess) {}

  /**
   * Creates a shadow policy that is not started.
   *
   * @param limits limits of the live cache's background eviction; null if there is none
   * @param grouped whether to simulate groups of keys for a confidence interval, at twice the cost
   */
  Shadow(
      String name,
      PolicySource source,
      List<PolicyPlace> places,
      @Nullable EvictionLimits limits,
      Sampling sampling,
      boolean grouped) {
    this.name = name;
    this.spec = Shadows.spec(name);
    this.code = source.code(name);
    this.source = source;
    this.places = places;
    this.limits = limits;
    this.sampling = sampling;
    this.grouped = grouped;
    thread =
        Thread.ofPlatform()
            .daemon(true)
            .inheritInheritableThreadLocals(false)
            .name("ebb-shadow-" + name)
            .unstarted(this);
  }

  String name() {
    return name;
  }

  /**
   * Returns whether the policy's code has changed since it was created. A policy whose JAR was
   * removed keeps running.
   */
  boolean isOutdated() {
    String now = source.code(name);
    return !now.isEmpty() && !now.equals(code);
  }

  void start(List<Seeds> residents) {
    seeds.addAll(residents);
    thread.start();
  }

  /** Queues a batch, or drops it if the queue is full. Does not block. */
  void offer(AccessBatch batch) {
    if (!isOver() && !queue.offer(batch)) {
      dropped.addAndGet(batch.size());
    }
  }

  boolean isOver() {
    return stopped || failure != null;
  }

  /**
   * Returns whether the cache is warm: it has been accessed as often as it has entries, and it is
   * full.
   */
  boolean isWarm() {
    return seen.warm;
  }

  /** Stops the policy. Does not wait. */
  void stop() {
    stopped = true;
    thread.interrupt();
  }

  /** Checks once whether the thread has returned. Must be called five times a second. */
  void look() {
    long beat = beats;
    boolean busy = (beat & 1) == 1;
    looks = busy && beat == beatSeen ? looks + 1 : 0;
    beatSeen = beat;
    if (looks >= MAX_LOOKS && !isOver()) {
      failure = "policy '%s' did not come back within 10 s".formatted(name);
      thread.setName("ebb-shadow-abandoned-" + name);
      thread.interrupt();
    }
  }

  ShadowReport report(boolean active, int countedFrom) {
    Seen now = seen;
    boolean counted = countedFrom > 0 && now.epoch == countedFrom && now.counts.accesses > 0;
    State state = failure != null ? State.FAILED : counted ? State.RUNNING : State.WARMING_UP;
    return new ShadowReport(
        name,
        spec,
        active,
        state,
        failure,
        counted && failure == null ? Estimate.of(now.counts, sampling.rate()) : null,
        counted && failure == null ? now.counts.tenants(sampling.rate()) : Map.of(),
        now.counts.sampled,
        now.entries,
        counted && isEnough(now),
        now.nanosPerAccess,
        dropped.get());
  }

  /**
   * Returns whether the sample is large enough. The shadow cache starts with the live cache's
   * entries, so the two differ only after enough accesses.
   */
  private static boolean isEnough(Seen now) {
    return now.counts.sampled >= Math.max(ShadowReport.FEW_ACCESSES, now.entries)
        && now.entries >= FEW_ENTRIES;
  }

  @Override
  public void run() {
    try {
      beat();
      for (PolicyPlace place : places) {
        candidates.add(
            new ShadowPolicy(
                name,
                source,
                place.name(),
                Math.max(1, Math.round(place.capacityBlocks() * spec.memory())),
                place.blockBytes(),
                limits,
                place.respectsPriority(),
                sampling,
                grouped));
      }
      for (int part = 0; part < seeds.size(); part++) {
        candidates.get(part).seed(seeds.get(part));
      }
      seeds.clear();
      beat();
      Counts counts = new Counts();
      int epoch = 0;
      long heard = 0;
      while (!isOver()) {
        AccessBatch batch = next();
        if (batch == null) {
          continue;
        }
        if (batch.epoch != epoch) {
          epoch = batch.epoch;
          counts = new Counts();
        }
        beat();
        ShadowPolicy candidate = candidates.get(batch.partition);
        long before = counts.sampled;
        candidate.replay(batch, counts);
        candidate.checkSize();
        beat();
        heard += counts.sampled - before;
        seen = seen(counts, epoch, heard);
      }
    } catch (Throwable thrown) {
      fail(thrown);
    } finally {
      end();
    }
  }

  /** Returns the next batch; null when stopped. An interrupt alone does not stop the thread. */
  private @Nullable AccessBatch next() {
    try {
      return queue.take();
    } catch (InterruptedException stopOrPlugin) {
      return null;
    }
  }

  private Seen seen(Counts counts, int epoch, long heard) {
    long entries = candidates.stream().mapToLong(ShadowPolicy::entries).sum();
    double nanos = candidates.stream().mapToLong(ShadowPolicy::nanos).sum();
    long rows = candidates.stream().mapToLong(ShadowPolicy::rows).sum();
    boolean full = spec.memory() <= 1 || candidates.stream().allMatch(ShadowPolicy::isFull);
    boolean warm = heard > Math.max(FEW_ENTRIES, full ? entries : LONG * entries);
    return new Seen(counts.copy(), epoch, warm, entries, rows == 0 ? Double.NaN : nanos / rows);
  }

  /** Stores the failure as text, because an exception may be of a plugin's class. */
  private void fail(Throwable thrown) {
    if (failure == null && !stopped) {
      String message = UntrustedText.line(UntrustedText.message(thrown));
      failure =
          message.startsWith("policy '") || message.startsWith("no policy")
              ? message
              : "policy '%s' failed: %s".formatted(name, UntrustedText.of(thrown));
    }
  }

  /** Closes the plugin's objects and drops all references to them. */
  private void end() {
    queue.clear();
    for (ShadowPolicy candidate : candidates) {
      try {
        candidate.close();
      } catch (Throwable late) {
        // Nothing depends on the result of close.
      }
    }
    candidates.clear();
  }

  // Only this thread writes the field.
  @SuppressWarnings("NonAtomicVolatileUpdate")
  private void beat() {
    beats++;
  }
}
