package dev.ebb.host.replay;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.Retention;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.simulation.SimulatedClock;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.optimum.BeladyOptimum;
import dev.ebb.host.optimum.FutureUses;
import dev.ebb.host.optimum.PrefixOptimum;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.policy.PolicyFactory;
import dev.ebb.host.policy.PolicyPartition;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.host.trace.BlockTokens;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.PolicyClock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.Gatherers;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

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

  /** Prepares a replay. */
  public Replay(PolicyFactory policies, ReplayOptions options, ReplayProgress progress) {
    this.policies = policies.synchronous();
    this.options = options;
    this.progress = progress;
  }

  /**
   * Reads a trace into memory.
   *
   * @throws UserError if the trace is wrong
   */
  public DecodedTrace decode(String name, TraceCursor cursor) {
    return decode(name, cursor, options.limit(), progress.decoding());
  }

  /**
   * Replays a trace that is in memory.
   *
   * @param trace the result of {@link #decode}
   * @throws UserError if a policy is wrong, or if its requests name different object groups
   */
  public ReplayReport file(DecodedTrace trace) {
    return withGroupsOf(trace).new FileReplay(trace).report();
  }

  /** Returns a replay with the object groups that a trace names, unless the options do. */
  private Replay withGroupsOf(DecodedTrace trace) {
    ReplayOptions with = options.withGroups(trace.name(), trace.groups());
    return with == options ? this : new Replay(policies, with, progress);
  }

  /** The runs of one trace that is in memory. */
  private final class FileReplay {

    private final DecodedTrace trace;
    private final int blockTokens;
    private final List<Long> capacities;
    private final double total;
    private final AtomicLong done = new AtomicLong();

    /** The trace with hints whose worth is measured, and without any. */
    private final Map<Boolean, DecodedTrace> hinted;

    /** The rows that one pass measures at all capacities. */
    private final Set<ReplayVariant> inOnePass;

    private final boolean onePass;

    FileReplay(DecodedTrace trace) {
      this.trace = trace;
      blockTokens = blockTokens(trace);
      long distinct = trace.distinctBlocks();
      capacities = options.blocks(distinct);
      onePass = options.curve() && OnePass.isExact(options, trace);
      List<ReplayVariant> variants = ReplayVariant.of(options);
      inOnePass =
          onePass
              ? variants.stream().filter(this::isLeastRecentlyUsed).collect(Collectors.toSet())
              : Set.of();
      int bounds = options.optimum() && !onePass ? 1 : 0;
      int runs = (variants.size() - inOnePass.size()) * options.seeds() * options.repeat() + bounds;
      total = (double) trace.references() * (capacities.size() * runs + (onePass ? 1 : 0));
      hinted = hinted();
    }

    private boolean isLeastRecentlyUsed(ReplayVariant variant) {
      PolicyPartition partition =
          new PolicyPartition(
              "default", capacities.getFirst(), new SimulatedClock(), options.seed());
      try (StrategyInstance<BlockPolicy<?>> made = policies.create(variant.policy(), partition)) {
        BlockPolicy<?> policy = made.value();
        String what = "policy '%s' failed in isLeastRecentlyUsed".formatted(variant.display());
        return PluginCall.call(policy, what, policy::isLeastRecentlyUsed);
      } catch (PluginFailure failure) {
        // Its runs report the failure.
        return false;
      }
    }

    private OnePass pass() {
      OnePass pass = new OnePass(options.model(), capacities, blockTokens);
      pass.feed(trace.cursor(), this::advance);
      return pass;
    }

    private void advance(long references) {
      progress.at(ReplayProgress.Phase.REPLAYING, (double) done.addAndGet(references), total);
    }

    private Map<Boolean, DecodedTrace> hinted() {
      ReplayHints hints = options.hints();
      return hints == null
          ? Map.of(false, trace)
          : Map.of(
              true,
              hints.hinted(trace, new FutureUses(trace), blockTokens, options.seed()),
              false,
              trace.withRetentions(new Retention[trace.requests()]));
    }

    ReplayReport report() {
      List<ReplayResult> results = new ArrayList<>();
      Map<Long, ReplayReport.Bounds> bounds = new HashMap<>();
      try (ExecutorService pool = pool()) {
        Map<Long, Future<ReplayReport.Bounds>> boundTasks = new LinkedHashMap<>();
        List<List<Future<ReplayResult>>> runTasks = new ArrayList<>();
        Future<OnePass> pass = onePass ? pool.submit(this::pass) : null;
        for (long capacity : capacities) {
          for (ReplayVariant variant : ReplayVariant.of(options)) {
            if (!inOnePass.contains(variant)) {
              runTasks.add(
                  seeds().stream()
                      .map(seed -> pool.submit(() -> run(variant, seed, capacity)))
                      .toList());
            }
          }
        }
        if (options.optimum()) {
          Future<FutureUses> uses = pool.submit(() -> new FutureUses(trace));
          for (long capacity : capacities) {
            boundTasks.put(
                capacity,
                pool.submit(() ->
                    new ReplayReport.Bounds(lru(pass, capacity), optimum(await(uses), capacity))));
          }
        }
        runTasks.forEach(
            seeds -> results.add(SeedMean.ofRuns(seeds.stream().map(Replay::await).toList())));
        boundTasks.forEach((capacity, task) -> bounds.put(capacity, await(task)));
        if (pass != null) {
          inOnePass.forEach(variant -> results.addAll(resultsOf(await(pass), variant)));
          results.sort(Comparator.comparingLong(ReplayResult::capacityBlocks));
        }
      }
      return new ReplayReport(
          trace.name(),
          options.model(),
          trace.requests(),
          trace.references(),
          trace.distinctBlocks(),
          blockTokens,
          trace.skippedLines(),
          trace.skippedReasons(),
          trace.decodeNanos(),
          trace.decodedBytes(),
          results,
          bounds,
          null,
          options.lookahead(),
          options.groups(),
          doubt(trace));
    }

    private ReplayResult run(ReplayVariant variant, long seed, long capacity) {
      ReplayResult result = null;
      for (int i = 0; i < options.repeat(); i++) {
        try (ReplayRun run = newRun(variant, seed, capacity, trace.distinctBlocks(), blockTokens)) {
          result = feed(run, Objects.requireNonNull(hinted.get(variant.hints())));
        } catch (PluginFailure failure) {
          result =
              ReplayResult.failed(
                  trace.name(),
                  options.model(),
                  variant.display(),
                  capacity,
                  String.valueOf(failure.getMessage()),
                  failure.stack());
          break;
        }
      }
      progress.ended(Objects.requireNonNull(result));
      return result;
    }

    private List<ReplayResult> resultsOf(OnePass pass, ReplayVariant variant) {
      List<ReplayResult> results = pass.results(trace.name(), variant.display());
      results.forEach(progress::ended);
      return results;
    }

    private ReplayResult lru(@Nullable Future<OnePass> pass, long capacity) {
      if (pass != null) {
        return await(pass).results(trace.name(), BuiltInLru.NAME).get(capacities.indexOf(capacity));
      }
      PolicyCandidate lru = new PolicyCandidate("least recently used", new BuiltInLru());
      try (ReplayRun run = newRun(lru, capacity, blockTokens, new SimulatedClock(), 0, false)) {
        return feed(run, trace);
      }
    }

    private double optimum(FutureUses uses, long capacity) {
      long hits =
          options.model() == ReplayModel.PREFIX
              ? PrefixOptimum.hits(uses, options.chunksOfFullAttention(capacity))
              : BeladyOptimum.hits(uses, capacity);
      return (double) hits / trace.references();
    }

    private ReplayResult feed(ReplayRun run, DecodedTrace of) {
      run.feed(of.cursor(), this::advance);
      return run.result(trace.name());
    }
  }

  /**
   * Replays a stream, in bounded memory.
   *
   * @throws UserError if the trace or a policy is wrong, or a capacity is a share
   */
  public ReplayReport stream(String name, TraceCursor cursor) {
    options.checkForStream();
    DecodedTrace first = piece(name, cursor, options.limit());
    return withGroupsOf(first).stream(name, cursor, first);
  }

  private ReplayReport stream(String name, TraceCursor cursor, DecodedTrace first) {
    List<ReplayRun> runs = new ArrayList<>();
    long left = options.limit();
    long requests = 0;
    long references = 0;
    long decodeNanos = 0;
    try (ExecutorService pool = pool()) {
      DecodedTrace piece = first;
      int blockTokens = blockTokens(piece);
      for (long capacity : options.blocks(-1)) {
        for (ReplayVariant variant : ReplayVariant.of(options)) {
          for (long seed : seeds()) {
            runs.add(newRun(variant, seed, capacity, -1, blockTokens));
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
        DecodedTrace next = left == 0 ? null : piece(name, cursor, left);
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
          cursor.skippedLines(),
          cursor.skippedReasons(),
          decodeNanos,
          cursor.bytesRead(),
          results,
          Map.of(),
          null,
          options.lookahead(),
          options.groups(),
          doubt(first));
    } finally {
      runs.forEach(ReplayRun::close);
    }
  }

  /**
   * Replays the traces that a generator makes of several seeds.
   *
   * @param generator returns the trace of a seed; called once for each seed
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
    long inferred = BlockTokens.of(trace).tokens();
    return inferred == BlockTokens.UNKNOWN
        ? DEFAULT_BLOCK_TOKENS
        : (int) Math.min(inferred, Integer.MAX_VALUE);
  }

  private @Nullable String doubt(DecodedTrace trace) {
    return options.blockTokens() > 0 ? null : BlockTokens.of(trace).doubt();
  }

  private DecodedTrace piece(String name, TraceCursor cursor, long left) {
    return decode(name, cursor, Math.min(left, PIECE), (requests, fraction) -> {});
  }

  private DecodedTrace decode(
      String name, TraceCursor cursor, long limit, DecodedTrace.Progress reading) {
    return DecodedTrace.decode(
        name, cursor, limit, request -> true, options.model()::keys, reading);
  }

  private ReplayRun newRun(
      ReplayVariant variant, long seed, long capacity, long distinctBlocks, int blockTokens) {
    SimulatedClock clock = new SimulatedClock();
    boolean timed = options.jobs() == 1;
    TierOptions tiers = options.tiers();
    AdmissionRule admission = variant.admission();
    long inMemory =
        tiers == null || admission == null ? capacity : tiers.memory().blocksOf(distinctBlocks);
    PolicyCandidate policy =
        policy(variant.policy(), "default", options.units(inMemory), clock, seed);
    ReplayRun run = newRun(policy, inMemory, blockTokens, clock, options.lookahead(), timed);
    run.row(variant.display());
    if (admission != null) {
      run.addDisk(
          variant.display(),
          capacity - inMemory,
          variant.regionBlocks(),
          policy(variant.diskPolicy(), "disk", capacity, clock, seed),
          admission);
    }
    return run;
  }

  private PolicyCandidate policy(
      PolicySpec spec, String partition, long blocks, PolicyClock clock, long seed) {
    StrategyInstance<BlockPolicy<?>> policy =
        policies.create(spec, new PolicyPartition(partition, blocks, clock, seed));
    return StrategyInstance.candidate(spec.display(), policy);
  }

  private ReplayRun newRun(
      PolicyCandidate policy,
      long capacity,
      int blockTokens,
      SimulatedClock clock,
      int lookahead,
      boolean timed) {
    ReplayRun run =
        new ReplayRun(
            options.model(),
            policy,
            capacity,
            blockTokens,
            clock,
            lookahead,
            timed,
            options.groups());
    if (options.respectPriority()) {
      run.respectPriority();
    }
    return run;
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
