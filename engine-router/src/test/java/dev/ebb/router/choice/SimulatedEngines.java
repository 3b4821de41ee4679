package dev.ebb.router.choice;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.simulation.CacheSimulation;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.trace.TraceRequest;
import dev.ebb.router.choice.EngineSelector.Assignment;
import dev.ebb.router.prompt.PromptChain;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Engines with the prefix cache of Ebb's replay, behind the router's own choice. An engine computes
 * one prompt after the other, and all answers at a time.
 *
 * <p>The main method prints the table of benchmarks/results/engine.md: {@code SimulatedEngines
 * TRACE ENGINES BLOCKS SPEED}. With a fifth argument, engines do not report the size of their
 * cache.
 */
final class SimulatedEngines {

  private static final double TOKEN_SECONDS = 0.02;
  private static final int BLOCK_TOKENS = 512;

  /** A request of a trace. */
  @SuppressWarnings("ArrayRecordComponent")
  record Prompt(double seconds, long[] blocks, long tokens, long output) {}

  /**
   * The outcome.
   *
   * @param meanWait the mean time until an answer begins
   * @param busiest the most prompt tokens that an engine computed, over the mean of all
   */
  record Result(long promptTokens, long computed, double meanWait, double busiest) {}

  private record Event(double seconds, long order, Runnable action) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>((a, b) ->
          a.seconds == b.seconds
              ? Long.compare(a.order, b.order)
              : Double.compare(a.seconds, b.seconds));
  private final EngineSelector selector;
  private final List<Engine> engines = new ArrayList<>();
  private final double prefillRate;
  private double now;
  private long order;
  private long promptTokens;
  private double waits;
  private int answers;

  /**
   * Creates engines with empty caches.
   *
   * @param reported whether engines report the size of their cache, or the router learns it
   */
  SimulatedEngines(
      RouterOptions options, int engines, int cacheBlocks, double prefillRate, boolean reported) {
    this.prefillRate = prefillRate;
    List<String> urls = IntStream.range(0, engines).mapToObj(i -> "engine-" + i).toList();
    selector = new EngineSelector(urls, options, () -> (long) (now * 1e9));
    for (RoutedEngine engine : selector.engines()) {
      selector.up(
          engine,
          false,
          Set.of(),
          reported
              ? new EngineFigures(1, 0, (double) cacheBlocks * PromptChain.TOKENS)
              : EngineFigures.UNKNOWN);
      this.engines.add(new Engine(cacheBlocks));
    }
  }

  private final class Engine {
    private final CacheSimulation cache;
    private final Deque<Runnable> queue = new ArrayDeque<>();
    private boolean busy;
    private long computed;

    Engine(int blocks) {
      cache =
          new CacheSimulation(
              new PolicyCandidate("lru", new BuiltInLru()), blocks, () -> (long) (now * 1e9), null);
    }

    void compute(Prompt prompt, Assignment request) {
      busy = true;
      cache.begin(RequestFacts.UNKNOWN, prompt.tokens, prompt.output, false, null);
      for (long block : prompt.blocks) {
        cache.add(block, 1, true, false, false);
      }
      long cached = Math.min(prompt.tokens, (long) cache.run() * BLOCK_TOKENS);
      computed += prompt.tokens - cached;
      double done = now + (prompt.tokens - cached) / prefillRate;
      at(
          done,
          () -> {
            request.began();
            waits += done - prompt.seconds;
            answers++;
            busy = false;
            if (!queue.isEmpty()) {
              queue.remove().run();
            }
          });
      at(done + prompt.output * TOKEN_SECONDS, () -> request.answered(prompt.tokens, cached));
    }
  }

  private void at(double seconds, Runnable action) {
    events.add(new Event(seconds, order++, action));
  }

  private void arrive(Prompt prompt) {
    promptTokens += prompt.tokens;
    PromptChain chain =
        new PromptChain(prompt.blocks, (double) prompt.tokens / BLOCK_TOKENS, BLOCK_TOKENS);
    Assignment request = requireNonNull(selector.choose(List.of(chain), null, Set.of()));
    Engine engine = engines.get(selector.engines().indexOf(request.engine()));
    Runnable start = () -> engine.compute(prompt, request);
    if (engine.busy) {
      engine.queue.add(start);
    } else {
      start.run();
    }
  }

  Result run(List<Prompt> trace) {
    trace.forEach(prompt -> at(prompt.seconds, () -> arrive(prompt)));
    while (!events.isEmpty()) {
      Event event = events.remove();
      now = event.seconds;
      event.action.run();
    }
    long computed = engines.stream().mapToLong(each -> each.computed).sum();
    long most = engines.stream().mapToLong(each -> each.computed).max().orElseThrow();
    engines.forEach(each -> each.cache.close());
    return new Result(
        promptTokens, computed, waits / answers, (double) most * engines.size() / computed);
  }

  /** Returns what the router believes of the engines. */
  List<RoutedEngine.Report> reports() {
    return selector.reports();
  }

  static List<Prompt> read(Path file, int limit) {
    List<Prompt> prompts = new ArrayList<>();
    try (TraceReader trace = TraceReader.open(file, OnError.STOP)) {
      while (prompts.size() < limit && trace.next()) {
        TraceRequest next = trace.request();
        prompts.add(
            new Prompt(
                next.timestampNanos() / 1e9,
                Arrays.copyOfRange(next.ids(), next.from(), next.from() + next.blocks()),
                next.inputTokens(),
                next.outputTokens()));
      }
    }
    return prompts;
  }

  /** Prints results by policy. */
  public static void main(String[] args) {
    List<Prompt> trace = read(Path.of(args[0]), Integer.MAX_VALUE);
    int engines = Integer.parseInt(args[1]);
    int blocks = Integer.parseInt(args[2]);
    double rate = Double.parseDouble(args[3]);
    for (RoutingPolicy policy : RoutingPolicy.values()) {
      SimulatedEngines simulated =
          new SimulatedEngines(
              RouterOptions.DEFAULTS.with(policy), engines, blocks, rate, args.length < 5);
      Result result = simulated.run(trace);
      System.out.printf(
          "%-12s computed %.1f M of %.1f M (%.1f %% cached), first token after %.2f s, busiest"
              + " %.2f%n",
          policy,
          result.computed / 1e6,
          result.promptTokens / 1e6,
          100.0 * (result.promptTokens - result.computed) / result.promptTokens,
          result.meanWait,
          result.busiest);
      simulated
          .reports()
          .forEach(each ->
              System.out.printf(
                  "  %s: %d requests, believed %d of at most %d blocks, %.3f cached, %.3f"
                      + " believed%n",
                  each.url(),
                  each.requests(),
                  each.believedBlocks(),
                  each.believedCapacity(),
                  (double) each.cachedTokens() / each.promptTokens(),
                  (double) each.believedTokens() / each.promptTokens()));
    }
  }
}
