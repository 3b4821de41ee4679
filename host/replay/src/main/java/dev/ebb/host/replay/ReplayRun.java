package dev.ebb.host.replay;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.policy.PolicyTimer;
import dev.ebb.host.cache.simulation.SimulatedClock;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.replay.ReplayResult.GroupUse;
import dev.ebb.host.replay.RequestQueue.QueuedRequest;
import dev.ebb.host.replay.tiers.DiskTier;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.spi.BlockPolicy;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A run of one policy at one capacity over a trace whose ids are cache keys ({@link
 * ReplayModel#keys}), all at once or piece by piece. Belongs to one thread at a time.
 */
final class ReplayRun implements AutoCloseable {

  private static final int REPORT_EVERY = 128;
  private static final int SMALLEST_WINDOW = 1_024;

  private final ReplayModel model;
  private final String policyName;
  private final @Nullable SizedGroups groups;
  private final long capacityBlocks;
  private final int blockTokens;
  private final SimulatedClock clock;
  private final GhostWindow ghosts;
  private final InlineBlockCache cache;
  private final @Nullable PolicyTimer timer;
  private final RequestQueue queue;
  private final CacheRequest object = new CacheRequest();
  private final RunTally tally;

  private String row;
  private @Nullable DiskTier disk;
  private boolean respectsPriority;
  private long nanos;
  private @Nullable String failure;
  private String failureStack = "";

  /**
   * Creates a run that has seen nothing.
   *
   * @param lookahead requests that count as waiting behind each one
   * @param timed sample the policy's cost; true only if the thread has its core to itself
   * @param groups the object groups of a hybrid model; null for a model with one
   */
  ReplayRun(
      ReplayModel model,
      PolicyCandidate policy,
      long capacityBlocks,
      int blockTokens,
      SimulatedClock clock,
      int lookahead,
      boolean timed,
      @Nullable SizedGroups groups) {
    this.model = model;
    policyName = policy.name();
    row = policyName;
    this.blockTokens = blockTokens;
    tally = new RunTally(blockTokens);
    this.clock = clock;
    this.groups = groups;
    this.capacityBlocks = capacityBlocks;
    queue = new RequestQueue(lookahead, blockTokens);
    ghosts = new GhostWindow(Math.clamp(capacityBlocks, SMALLEST_WINDOW, 1 << 24));
    long units = ReplayOptions.units(capacityBlocks, groups);
    cache = new InlineBlockCache(units, clock, ghosts, OnFault.FAIL);
    timer = timed ? new PolicyTimer() : null;
    if (timer != null) {
      cache.time(timer);
    }
    try {
      cache.install(policy);
    } catch (PolicyFault fault) {
      failed(fault);
    }
  }

  /** Sets the name of the run in reports, if it is not that of the policy. */
  void row(String display) {
    row = display;
  }

  /** Evicts higher-priority entries for a request only if nothing else is evictable. */
  void respectPriority() {
    cache.respectPriority();
    respectsPriority = true;
  }

  /**
   * Adds a disk behind the memory. To be called before the first request.
   *
   * @param display the name of the run in reports
   * @param blocks its capacity
   * @param regionBlocks capacity of a region; 0 if it evicts block by block
   * @param policy that of the disk
   * @param admission decides what is written to it
   */
  void addDisk(
      String display,
      long blocks,
      int regionBlocks,
      PolicyCandidate policy,
      AdmissionRule admission) {
    row = display;
    try {
      disk = new DiskTier(cache, blocks, regionBlocks, policy, admission, clock);
      if (respectsPriority) {
        disk.respectPriority();
      }
    } catch (PolicyFault fault) {
      failed(fault);
    }
  }

  private void failed(PolicyFault fault) {
    failure = fault.getMessage();
    failureStack = fault.pluginStack();
  }

  /**
   * Replays more of the trace; as many requests as should wait are left for the next call, or for
   * {@link #result}.
   *
   * @param progress receives the number of references since its last call
   */
  void feed(TraceCursor cursor, LongConsumer progress) {
    long reported = tally.references;
    long start = start();
    try {
      while (failure == null && cursor.next()) {
        queue.add(cursor.request());
        if (queue.isFull()) {
          step();
        }
        if (tally.requests % REPORT_EVERY == 0) {
          progress.accept(tally.references - reported);
          reported = tally.references;
        }
      }
    } catch (PolicyFault fault) {
      failed(fault);
    } finally {
      stop(start);
    }
    progress.accept(tally.references - reported);
  }

  /** Replays the requests that still wait. */
  private void drain() {
    long start = start();
    try {
      while (failure == null && !queue.isEmpty()) {
        step();
      }
    } catch (PolicyFault fault) {
      failed(fault);
    } finally {
      stop(start);
    }
  }

  private long start() {
    if (timer != null) {
      timer.start();
    }
    return System.nanoTime();
  }

  private void stop(long start) {
    nanos += System.nanoTime() - start;
    if (timer != null) {
      timer.stop();
    }
  }

  private void step() {
    QueuedRequest next = queue.next();
    clock.advanceTo(next.timestampNanos);
    if (model == ReplayModel.PREFIX) {
      prefix(next);
    } else {
      objects(next);
    }
    queue.remove();
  }

  private void prefix(QueuedRequest next) {
    CacheRequest request = next.chain;
    request.waiting(queue.waiting());
    request.groups(groups);
    int matched = cache.begin(request);
    if (disk != null) {
      matched = disk.begin(request, queue.waiting());
    }
    cache.admit(request);
    if (disk != null) {
      disk.admitted(request);
    }
    // As in an engine, the policy receives these only at the end.
    cache.ended(request, next.ended);
    request.answered(next.outputTokens);
    cache.finish(request);
    if (disk != null) {
      disk.finish(next.ended, next.outputTokens);
    }
    tally.add(next, matched, matched);
  }

  private void objects(QueuedRequest next) {
    int blocks = next.chain.blocks();
    int leading = 0;
    int found = 0;
    for (int i = 0; i < blocks; i++) {
      object.reset(next.ended, blockTokens);
      object.waiting(queue.waiting());
      object.add(next.chain.fingerprint(i));
      if (cache.use(object)) {
        found++;
        if (leading == i) {
          leading++;
        }
      }
    }
    tally.add(next, found, leading);
  }

  ReplayResult result(String trace) {
    drain();
    if (failure == null) {
      checkSize();
    }
    return new ReplayResult(
        trace,
        model,
        row,
        disk == null ? capacityBlocks : capacityBlocks + disk.capacityBlocks(),
        tally.requests,
        tally.references,
        tally.hits,
        tally.prefixHits,
        tally.requestTokens,
        tally.prefixHitTokens,
        tally.prefill(),
        ghosts.evicted() == 0 ? Double.NaN : (double) ghosts.askedAgain() / ghosts.evicted(),
        ghosts.length(),
        tally.fairness.index(),
        cache.evictions(),
        cache.refusals(),
        cache.notAdmitted(),
        cache.rejected(),
        timer == null ? Double.NaN : timer.nanosPerAccess(),
        timer == null ? Double.NaN : timer.nanosPerVictim(),
        timer == null ? Double.NaN : timer.slowestNanos(),
        nanos == 0 ? Double.NaN : tally.references * 1e9 / nanos,
        tally.series.steps(),
        tally.series.requestsPerStep(),
        failure,
        failureStack,
        null,
        groupUse(),
        disk == null ? null : disk.use(policyName));
  }

  private @Nullable GroupUse groupUse() {
    return groups == null
        ? null
        : new GroupUse(
            cache.blocksByGroup(groups.groups().size()),
            cache.thinned().entries(),
            cache.unusable());
  }

  /**
   * Checks the policy's count: a wrong one means that it keeps removed entries, or will never offer
   * others.
   */
  private void checkSize() {
    try {
      BlockPolicy<?> policy = cache.policy();
      long size =
          PluginCall.call(policy, "policy '%s' failed in size".formatted(policyName), policy::size);
      if (size != cache.residentEntries()) {
        failure =
            "policy '%s' failed: size() is %d at the end, and %d entries are resident"
                .formatted(policyName, size, cache.residentEntries());
      }
      if (disk != null) {
        failure = failure == null ? disk.checkedSize() : failure;
      }
    } catch (PolicyFault late) {
      // The policy receives the last requests only now.
      failure = late.getMessage();
      failureStack = late.pluginStack();
    } catch (PluginFailure thrown) {
      failure = thrown.getMessage();
      failureStack = thrown.stack();
    }
  }

  @Override
  public void close() {
    cache.close();
    if (disk != null) {
      disk.close();
    }
  }
}
