package dev.ebb.host.replay;

import dev.ebb.host.cache.CacheRequest;
import dev.ebb.host.cache.Fairness;
import dev.ebb.host.cache.GhostWindow;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.OnFault;
import dev.ebb.host.cache.PolicyCandidate;
import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.cache.PolicyTimer;
import dev.ebb.host.cache.RequestEnd;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceRequest;
import dev.ebb.spi.BlockPolicy;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A run of one policy at one capacity over a trace whose ids are cache keys ({@link KeyedCursor}),
 * all at once or piece by piece. Belongs to one thread at a time.
 */
final class ReplayRun implements AutoCloseable {

  private static final int REPORT_EVERY = 128;
  private static final int SMALLEST_WINDOW = 1_024;

  private final ReplayModel model;
  private final String policyName;
  private final int blockTokens;
  private final ReplayClock clock;
  private final GhostWindow ghosts;
  private final InlineBlockCache cache;
  private final @Nullable PolicyTimer timer;
  private final CacheRequest request = new CacheRequest();
  private final Fairness fairness = new Fairness();
  private final HitSeries series = new HitSeries();
  private final Histogram prefill = new Histogram(3);

  private long requests;
  private long references;
  private long hits;
  private long prefixHits;
  private long requestTokens;
  private long prefixHitTokens;
  private long nanos;
  private @Nullable String failure;
  private String failureStack = "";

  /**
   * Creates a run that has seen nothing.
   *
   * @param timed sample the policy's cost; true only if the thread has its core to itself
   */
  ReplayRun(
      ReplayModel model,
      PolicyCandidate policy,
      long capacityBlocks,
      int blockTokens,
      ReplayClock clock,
      boolean timed) {
    this.model = model;
    this.policyName = policy.name();
    this.blockTokens = blockTokens;
    this.clock = clock;
    ghosts = new GhostWindow(Math.clamp(capacityBlocks, SMALLEST_WINDOW, 1 << 24));
    cache = new InlineBlockCache(capacityBlocks, clock, ghosts, OnFault.FAIL);
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

  /** Lets no request evict entries of higher priority while others can be evicted. */
  void respectPriority() {
    cache.respectPriority();
  }

  private void failed(PolicyFault fault) {
    failure = fault.getMessage();
    failureStack = fault.pluginStack();
  }

  /**
   * Replays more of the trace.
   *
   * @param progress receives the number of references since its last call
   */
  void feed(TraceCursor cursor, LongConsumer progress) {
    long reported = references;
    long start = System.nanoTime();
    try {
      while (failure == null && cursor.next()) {
        step(cursor.request());
        if (requests % REPORT_EVERY == 0) {
          progress.accept(references - reported);
          reported = references;
        }
      }
    } catch (PolicyFault fault) {
      failed(fault);
    }
    nanos += System.nanoTime() - start;
    progress.accept(references - reported);
  }

  private void step(TraceRequest from) {
    clock.advanceTo(from.timestampNanos());
    RequestFacts facts =
        new RequestFacts(
            from.sequenceId(),
            from.turn(),
            from.inputTokens(),
            -1,
            from.priority(),
            from.tenant(),
            from.workload(),
            0,
            from.lifetimeNanos(),
            from.recomputeCost());
    int leading =
        model == ReplayModel.PREFIX
            ? prefix(from, facts)
            : objects(from, facts.ended(from.hint(), end(from)));
    long tokens = Math.max(0, from.inputTokens());
    requests++;
    references += from.blocks();
    requestTokens += tokens;
    prefixHits += leading;
    long hitTokens = Math.min((long) leading * blockTokens, tokens);
    prefixHitTokens += hitTokens;
    if (from.inputTokens() >= 0) {
      prefill.recordValue(tokens - hitTokens);
    }
    fairness.add(from.tenant(), leading, from.blocks());
  }

  private int prefix(TraceRequest from, RequestFacts facts) {
    request.reset(facts, from.inputTokens());
    long[] ids = from.ids();
    int end = from.from() + from.blocks();
    for (int i = from.from(); i < end; i++) {
      request.add(ids[i], high(ids[i]));
    }
    int matched = cache.begin(request);
    cache.admit(request);
    // As in an engine, the policy receives these only at the end.
    cache.ended(request, facts.ended(from.hint(), end(from)));
    request.answered(from.outputTokens());
    cache.finish(request);
    hits += matched;
    series.add(matched, from.blocks());
    return matched;
  }

  private int objects(TraceRequest from, RequestFacts facts) {
    long[] ids = from.ids();
    int start = from.from();
    int leading = 0;
    int found = 0;
    for (int i = 0; i < from.blocks(); i++) {
      long id = ids[start + i];
      request.reset(facts, blockTokens);
      request.add(id, high(id));
      if (cache.use(request)) {
        found++;
        if (leading == i) {
          leading++;
        }
      }
    }
    hits += found;
    series.add(found, from.blocks());
    return leading;
  }

  private static RequestEnd end(TraceRequest from) {
    return new RequestEnd(from.finishReason(), from.model(), from.returnNanos());
  }

  // The trace has 64 bits of identity; the upper half of the key only has to follow from them.
  private static long high(long id) {
    return id * 0xC2B2AE3D27D4EB4FL;
  }

  ReplayResult result(String trace) {
    if (failure == null) {
      checkSize();
    }
    return new ReplayResult(
        trace,
        model,
        policyName,
        cache.capacityBlocks(),
        requests,
        references,
        hits,
        prefixHits,
        requestTokens,
        prefixHitTokens,
        PrefillTokens.of(prefill),
        ghosts.evicted() == 0 ? Double.NaN : (double) ghosts.askedAgain() / ghosts.evicted(),
        ghosts.length(),
        fairness.index(),
        cache.evictions(),
        cache.refusals(),
        cache.notAdmitted(),
        cache.rejected(),
        timer == null ? Double.NaN : timer.nanosPerAccess(),
        timer == null ? Double.NaN : timer.nanosPerVictim(),
        nanos == 0 ? Double.NaN : references * 1e9 / nanos,
        series.steps(),
        series.requestsPerStep(),
        failure,
        failureStack,
        null);
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
      if (size != cache.residentBlocks()) {
        failure =
            "policy '%s' failed: size() is %d at the end, and %d entries are resident"
                .formatted(policyName, size, cache.residentBlocks());
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
  }
}
