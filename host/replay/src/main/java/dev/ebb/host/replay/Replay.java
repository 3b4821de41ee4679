package dev.ebb.host.replay;

import dev.ebb.host.cache.BuiltInLru;
import dev.ebb.host.cache.PolicyCandidate;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.optimum.BeladyOptimum;
import dev.ebb.host.optimum.FutureUses;
import dev.ebb.host.optimum.Optimum;
import dev.ebb.host.optimum.PrefixOptimum;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.policy.PolicyFactory;
import dev.ebb.host.policy.PolicyPartition;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.host.trace.BlockTokens;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.spi.BlockPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.stream.Gatherers;
import java.util.stream.LongStream;

/**
 * Replays a trace through several policies at a time, and measures them against the optimum.
 *
 * <p>A file is decoded once into memory and shared by all runs. A stream is fed to all runs piece
 * by piece, in flat memory, without an optimum.
 */
public final class Replay {

  private static final int PIECE = 2048;
  private static final int DEFAULT_BLOCK_TOKENS = 16;

  private final PolicyFactory policies;
  private final ReplayOptions options;
  private final ReplayProgress progress;

  /**
   * Prepares a replay.
   *
   * @param policies makes the policies
   * @param progress receives its progress
   */
  public Replay(PolicyFactory policies, ReplayOptions options, ReplayProgress progress) {
    this.policies = policies;
    this.options = options;
    this.progress = progress;
  }

  /**
   * Reads a trace into memory.
   *
   * @param name the trace's name
   * @param cursor the trace; read to its end or the limit
   * @return the trace, for {@link #file}
   * @throws UserError if the trace is wrong
   */
  public DecodedTrace decode(String name, TraceCursor cursor) {
    return DecodedTrace.decode(
        name, new KeyedCursor(cursor, options.model()), options.limit(), progress.decoding());
  }

  /**
   * Replays a trace that is in memory.
   *
   * @param trace the result of {@link #decode}
   * @return the results, with the optimum
   * @throws UserError if a policy is wrong
   */
  public ReplayReport file(DecodedTrace trace) {
    int blockTokens = blockTokens(trace);
    long distinct = trace.distinctBlocks();
    List<Long> capacities =
        options.capacities().stream().map(c -> c.blocksOf(distinct)).distinct().sorted().toList();

    int runCount =
        capacities.size() * (options.policies().size() * options.seeds() * options.repeat() + 1);
    AtomicLong done = new AtomicLong();
    double total = (double) trace.references() * runCount;
    List<ReplayResult> results = new ArrayList<>();
    Map<Long, ReplayReport.Bounds> bounds = new HashMap<>();
    try (ExecutorService pool = pool()) {
      Map<Long, Future<ReplayReport.Bounds>> boundTasks = new LinkedHashMap<>();
      List<List<Future<ReplayResult>>> runTasks = new ArrayList<>();
      Future<FutureUses> uses = pool.submit(() -> new FutureUses(trace));
      for (long capacity : capacities) {
        for (PolicySpec spec : options.policies()) {
          List<Future<ReplayResult>> seeds = new ArrayList<>();
          for (long seed : seeds()) {
            seeds.add(
                pool.submit(() -> run(trace, spec, seed, capacity, blockTokens, done, total)));
          }
          runTasks.add(seeds);
        }
      }
      for (long capacity : capacities) {
        boundTasks.put(
            capacity,
            pool.submit(() -> bounds(trace, await(uses), capacity, blockTokens, done, total)));
      }
      runTasks.forEach(
          seeds -> results.add(SeedMean.ofRuns(seeds.stream().map(Replay::await).toList())));
      boundTasks.forEach((capacity, task) -> bounds.put(capacity, await(task)));
    }
    return new ReplayReport(
        trace.name(),
        options.model(),
        trace.requests(),
        trace.references(),
        distinct,
        blockTokens,
        trace.skippedLines(),
        trace.skippedReasons(),
        trace.decodeNanos(),
        trace.decodedBytes(),
        results,
        bounds,
        null,
        options.lookahead());
  }

  /**
   * Replays a stream, in bounded memory.
   *
   * @param name the trace's name
   * @param cursor the trace; read to its end or the limit
   * @return the results, without an optimum
   * @throws UserError if the trace or a policy is wrong, or a capacity is a share
   */
  public ReplayReport stream(String name, TraceCursor cursor) {
    options.checkForStream();
    TraceCursor keyed = new KeyedCursor(cursor, options.model());
    List<ReplayRun> runs = new ArrayList<>();
    long left = options.limit();
    long requests = 0;
    long references = 0;
    long decodeNanos = 0;
    try (ExecutorService pool = pool()) {
      DecodedTrace piece = piece(name, keyed, left);
      int blockTokens = blockTokens(piece);
      for (long capacity :
          options.capacities().stream().map(Capacity::blocks).distinct().sorted().toList()) {
        for (PolicySpec spec : options.policies()) {
          for (long seed : seeds()) {
            runs.add(newRun(spec, seed, capacity, blockTokens));
          }
        }
      }
      while (piece.requests() > 0) {
        DecodedTrace current = piece;
        List<Future<?>> tasks = new ArrayList<>();
        for (ReplayRun run : runs) {
          tasks.add(pool.submit(() -> run.feed(current.cursor(), count -> {})));
        }
        left -= piece.requests();
        requests += piece.requests();
        references += piece.references();
        decodeNanos += piece.decodeNanos();
        progress.at(ReplayProgress.Phase.DECODING, (double) requests, 0);
        // The next piece is decoded while this one is replayed.
        DecodedTrace next = left == 0 ? null : piece(name, keyed, left);
        tasks.forEach(Replay::await);
        if (next == null) {
          break;
        }
        piece = next;
      }
      List<ReplayResult> results =
          runs.stream()
              .map(run -> run.result(name))
              .gather(Gatherers.windowFixed(options.seeds()))
              .map(SeedMean::ofRuns)
              .toList();
      return new ReplayReport(
          name,
          options.model(),
          requests,
          references,
          -1,
          blockTokens,
          keyed.skippedLines(),
          keyed.skippedReasons(),
          decodeNanos,
          keyed.bytesRead(),
          results,
          Map.of(),
          null,
          options.lookahead());
    } finally {
      runs.forEach(ReplayRun::close);
    }
  }

  /**
   * Replays the traces that a generator makes of several seeds.
   *
   * @param generator returns the trace of a seed; called once for each seed
   * @return the means, with the spread
   * @throws UserError if a policy is wrong
   */
  public ReplayReport generated(LongFunction<DecodedTrace> generator) {
    DecodedTrace first = generator.apply(options.seed());
    // The capacities of the first trace, so that each row has one capacity.
    long distinct = first.distinctBlocks();
    List<ReplayReport> reports = new ArrayList<>();
    for (long seed : seeds()) {
      DecodedTrace trace = seed == options.seed() ? first : generator.apply(seed);
      reports.add(new Replay(policies, options.withSeed(seed, distinct), progress).file(trace));
    }
    return SeedMean.ofReports(reports);
  }

  private List<Long> seeds() {
    return LongStream.range(0, options.seeds()).mapToObj(i -> options.seed() + i).toList();
  }

  private int blockTokens(DecodedTrace trace) {
    if (options.blockTokens() > 0) {
      return options.blockTokens();
    }
    long inferred = BlockTokens.infer(trace);
    return inferred == BlockTokens.UNKNOWN
        ? DEFAULT_BLOCK_TOKENS
        : (int) Math.min(inferred, Integer.MAX_VALUE);
  }

  private static DecodedTrace piece(String name, TraceCursor cursor, long left) {
    return DecodedTrace.decode(name, cursor, Math.min(left, PIECE), (requests, fraction) -> {});
  }

  private ReplayResult run(
      DecodedTrace trace,
      PolicySpec spec,
      long seed,
      long capacity,
      int blockTokens,
      AtomicLong done,
      double total) {
    ReplayResult result = null;
    for (int i = 0; i < options.repeat(); i++) {
      try (ReplayRun run = newRun(spec, seed, capacity, blockTokens)) {
        result = feed(trace, run, done, total);
      } catch (PluginFailure failure) {
        return ReplayResult.failed(
            trace.name(),
            options.model(),
            spec.display(),
            capacity,
            String.valueOf(failure.getMessage()),
            failure.stack());
      }
    }
    return Objects.requireNonNull(result);
  }

  private ReplayReport.Bounds bounds(
      DecodedTrace trace,
      FutureUses uses,
      long capacity,
      int blockTokens,
      AtomicLong done,
      double total) {
    ReplayResult lru;
    try (ReplayRun run =
        new ReplayRun(
            options.model(),
            new PolicyCandidate("least recently used", new BuiltInLru()),
            capacity,
            blockTokens,
            new ReplayClock(),
            0,
            false)) {
      respectPriority(run);
      lru = feed(trace, run, done, total);
    }
    Optimum optimum =
        options.model() == ReplayModel.PREFIX
            ? PrefixOptimum.of(uses, capacity, blockTokens)
            : BeladyOptimum.of(uses, capacity, blockTokens);
    return new ReplayReport.Bounds(lru, optimum.hitRatio());
  }

  private ReplayResult feed(DecodedTrace trace, ReplayRun run, AtomicLong done, double total) {
    run.feed(
        trace.cursor(),
        count ->
            progress.at(ReplayProgress.Phase.REPLAYING, (double) done.addAndGet(count), total));
    return run.result(trace.name());
  }

  private ReplayRun newRun(PolicySpec spec, long seed, long capacity, int blockTokens) {
    ReplayClock clock = new ReplayClock();
    StrategyInstance<BlockPolicy<?>> policy =
        policies.create(spec, new PolicyPartition("default", capacity, clock, seed));
    ReplayRun run =
        new ReplayRun(
            options.model(),
            StrategyInstance.candidate(spec.display(), policy),
            capacity,
            blockTokens,
            clock,
            options.lookahead(),
            options.jobs() == 1);
    respectPriority(run);
    return run;
  }

  private void respectPriority(ReplayRun run) {
    if (options.respectPriority()) {
      run.respectPriority();
    }
  }

  private ExecutorService pool() {
    return Executors.newFixedThreadPool(
        options.jobs(), Thread.ofPlatform().name("replay-", 0).daemon().factory());
  }

  private static <T> T await(Future<T> task) {
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException thrown) {
        throw thrown;
      }
      if (e.getCause() instanceof Error thrown) {
        throw thrown;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
