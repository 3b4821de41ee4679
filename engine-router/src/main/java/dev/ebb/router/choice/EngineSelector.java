package dev.ebb.router.choice;

import dev.ebb.router.choice.RoutedEngine.State;
import dev.ebb.router.prompt.PromptChain;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the engine of each request. With the policy {@code prefix} it is the one with the lowest
 * cost, in tokens to compute:
 *
 * <pre>
 * cost = computed + waiting + request-tokens * requests + evicted
 * computed = tokens of the prompt that the engine has not cached; those that a shared server has
 *            count {@code shared-cost} each
 * waiting  = computed tokens of the requests there whose answer has not begun
 * requests = requests that it runs or queues, also those of other clients
 * evicted  = computed * (shortest idle time / idle time of the block that it evicts next);
 *            0 while it has free memory
 * </pre>
 *
 * <p>The last term keeps the caches of all engines equally old, so that together they hold as many
 * prefixes as one large cache. Of equal costs, the engine with the fewest requests is chosen, and
 * then the one with the fewest blocks.
 *
 * <p>What an engine has cached is a belief: {@link BelievedPrefixes}. Thread-safe.
 */
public final class EngineSelector {

  /** The length of a block of text until an answer reports another one. */
  private static final double TEXT_BLOCK_TOKENS = PromptChain.CHARACTERS / 4.0;

  /** The weight of an answer in the length of a block of text. */
  private static final double LEARNING = 0.05;

  /** Blocks that rounding, at the end of a block or of a prompt, can hide. */
  private static final int TOLERANCE = 2;

  private final RouterOptions options;
  private final LongSupplier nanoClock;
  private final List<RoutedEngine> engines;
  private final BelievedPrefixes shared;
  private double textBlockTokens = TEXT_BLOCK_TOKENS;
  private int last = -1;

  /** Creates a selector; its engines get requests after {@link #up}. */
  public EngineSelector(Collection<String> urls, RouterOptions options, LongSupplier nanoClock) {
    this.options = options;
    this.nanoClock = nanoClock;
    engines = urls.stream().map(url -> new RoutedEngine(url, options.maxBlocks())).toList();
    shared = new BelievedPrefixes(options.maxBlocks());
  }

  /** Returns all engines, in the order in which they were given. */
  public List<RoutedEngine> engines() {
    return engines;
  }

  /** Returns the state and the counters of all engines. */
  public synchronized List<RoutedEngine.Report> reports() {
    return engines.stream().map(RoutedEngine::report).toList();
  }

  /**
   * Chooses an engine for a request, and counts the request there.
   *
   * @param model the model that the request names; null for any
   * @param tried engines that must not be chosen
   * @return null if there is no engine
   */
  public synchronized @Nullable Assignment choose(
      List<PromptChain> prompts, @Nullable String model, Set<RoutedEngine> tried) {
    List<RoutedEngine> up =
        engines.stream().filter(each -> each.state == State.UP && !tried.contains(each)).toList();
    List<RoutedEngine> serving =
        model == null ? up : up.stream().filter(each -> each.models.contains(model)).toList();
    // Any engine explains to the client that it does not serve the model.
    List<RoutedEngine> candidates = serving.isEmpty() ? up : serving;
    if (candidates.isEmpty()) {
      return null;
    }
    long now = nanoClock.getAsLong();
    RoutedEngine chosen =
        switch (options.policy()) {
          case PREFIX -> cheapest(candidates, prompts, now);
          case ROUND_ROBIN -> next(candidates);
          case LEAST_LOADED -> leastLoaded(candidates);
        };
    last = engines.indexOf(chosen);
    chosen.retries += tried.isEmpty() ? 0 : 1;
    return new Assignment(chosen, prompts, now);
  }

  private RoutedEngine next(List<RoutedEngine> candidates) {
    return candidates.stream().min(Comparator.comparingInt(this::turnsAhead)).orElseThrow();
  }

  /** Returns how many turns an engine is behind the last chosen one. */
  private int turnsAhead(RoutedEngine engine) {
    return Math.floorMod(engines.indexOf(engine) - last - 1, engines.size());
  }

  private RoutedEngine leastLoaded(List<RoutedEngine> candidates) {
    return candidates.stream()
        .min(
            Comparator.<RoutedEngine>comparingInt(each -> each.running + each.others)
                .thenComparingInt(this::turnsAhead))
        .orElseThrow();
  }

  private RoutedEngine cheapest(
      List<RoutedEngine> candidates, List<PromptChain> prompts, long now) {
    long shortestIdle =
        candidates.stream().mapToLong(each -> each.cached.idleNanos(now)).min().orElseThrow();
    return candidates.stream()
        .map(each -> Map.entry(each, cost(each, prompts, now, shortestIdle)))
        .min(
            Comparator.<Map.Entry<RoutedEngine, Double>>comparingDouble(Map.Entry::getValue)
                .thenComparingInt(each -> each.getKey().running + each.getKey().others)
                .thenComparingInt(each -> each.getKey().cached.size()))
        .orElseThrow()
        .getKey();
  }

  private double cost(RoutedEngine engine, List<PromptChain> prompts, long now, long shortestIdle) {
    double computed = 0;
    for (PromptChain prompt : prompts) {
      int matched = engine.cached.match(prompt.blocks());
      int elsewhere = Math.max(0, sharedMatch(prompt) - matched);
      computed +=
          blockTokens(prompt)
              * (prompt.length() - matched - elsewhere * (1 - options.sharedCost()));
    }
    long idle = engine.cached.idleNanos(now);
    double recency = idle == Long.MAX_VALUE ? 0 : (shortestIdle + 1.0) / (idle + 1.0);
    return computed * (1 + recency)
        + engine.waitingTokens
        + options.requestTokens() * (engine.running + engine.others);
  }

  private int sharedMatch(PromptChain prompt) {
    return options.sharedCost() < 1 ? shared.match(prompt.blocks()) : 0;
  }

  private double blockTokens(PromptChain prompt) {
    return prompt.blockTokens() > 0 ? prompt.blockTokens() : textBlockTokens;
  }

  private void use(RoutedEngine engine, PromptChain prompt, boolean proven, long now) {
    engine.cached.use(prompt.blocks(), proven, now);
    if (proven && options.sharedCost() < 1) {
      shared.use(prompt.blocks(), true, now);
    }
  }

  /**
   * Reports that an engine is reachable.
   *
   * @param stopping whether it takes no new requests
   */
  public synchronized void up(
      RoutedEngine engine, boolean stopping, Set<String> models, EngineFigures figures) {
    boolean again =
        Double.isNaN(figures.startSeconds())
            ? engine.state == State.DOWN
            : figures.startSeconds() != engine.startSeconds;
    if (again) {
      engine.cached.clear();
      engine.startSeconds = figures.startSeconds();
    }
    // The shorter blocks, because which ones will come is not known.
    double blockTokens = Math.min(PromptChain.TOKENS, textBlockTokens);
    engine.cached.limit((int) (figures.cacheTokens() / blockTokens));
    engine.state = stopping ? State.STOPPING : State.UP;
    engine.reason = stopping ? "it is stopping" : "";
    engine.models = models;
    engine.others = Math.max(0, figures.load() - engine.running);
  }

  /** Returns whether an engine gets requests. */
  public synchronized boolean isUp(RoutedEngine engine) {
    return engine.state == State.UP;
  }

  /**
   * Reports that an engine cannot be reached.
   *
   * @return whether it got requests until now
   */
  public synchronized boolean down(RoutedEngine engine, String reason) {
    boolean changed = engine.state != State.DOWN;
    engine.state = State.DOWN;
    engine.reason = reason;
    engine.others = 0;
    return changed;
  }

  /** A request at an engine. Its end must be reported: later calls have no effect. */
  public final class Assignment {

    private final RoutedEngine engine;
    private final List<PromptChain> prompts;

    /**
     * For each prompt the blocks that were believed, and those that were surely computed before.
     */
    private final int[] matched;

    private final int[] proven;

    /** What the shared server was believed to have. */
    private final int[] elsewhere;

    private final double waiting;
    private boolean begun;
    private boolean over;

    private Assignment(RoutedEngine engine, List<PromptChain> prompts, long now) {
      this.engine = engine;
      this.prompts = prompts;
      matched = new int[prompts.size()];
      proven = new int[prompts.size()];
      elsewhere = new int[prompts.size()];
      double computed = 0;
      for (int i = 0; i < prompts.size(); i++) {
        PromptChain prompt = prompts.get(i);
        matched[i] = engine.cached.match(prompt.blocks());
        proven[i] = engine.cached.proven(prompt.blocks());
        elsewhere[i] = sharedMatch(prompt);
        computed += blockTokens(prompt) * (prompt.length() - matched[i]);
        use(engine, prompt, false, now);
      }
      waiting = computed;
      engine.running++;
      engine.requests++;
      engine.waitingTokens += waiting;
    }

    /** Returns the engine of the request. */
    public RoutedEngine engine() {
      return engine;
    }

    /** The answer has begun, so that the prompt is computed. */
    public void began() {
      synchronized (EngineSelector.this) {
        if (!begun && !over) {
          begun = true;
          engine.waitingTokens -= waiting;
          prompts.forEach(prompt -> use(engine, prompt, true, nanoClock.getAsLong()));
        }
      }
    }

    /** The answer has ended, and nothing was reported. */
    public void ended() {
      synchronized (EngineSelector.this) {
        if (!over) {
          began();
          over = true;
          engine.running--;
        }
      }
    }

    /** The engine has failed before it began to answer. */
    public void failed() {
      unanswered(1);
    }

    /** The engine has refused the request, or the client has gone before the answer. */
    public void refused() {
      unanswered(0);
    }

    private void unanswered(int failures) {
      synchronized (EngineSelector.this) {
        if (!over && !begun) {
          engine.waitingTokens -= waiting;
          engine.failures += failures;
          for (int i = 0; i < prompts.size(); i++) {
            engine.cached.forget(prompts.get(i).blocks(), proven[i]);
          }
          begun = true;
        }
        ended();
      }
    }

    /**
     * The answer has ended, with what the engine reports.
     *
     * @param promptTokens the tokens of all prompts
     * @param cachedTokens those of them that were cached; negative if the engine does not report
     *     them
     */
    public void answered(long promptTokens, long cachedTokens) {
      synchronized (EngineSelector.this) {
        double length = prompts.stream().mapToDouble(PromptChain::length).sum();
        boolean known = !over && promptTokens > 0 && length > 0;
        ended();
        if (known) {
          learn(promptTokens, cachedTokens, promptTokens / length);
        }
      }
    }

    private void learn(long promptTokens, long cachedTokens, double blockTokens) {
      if (prompts.getFirst().blockTokens() == 0) {
        textBlockTokens += LEARNING * (blockTokens - textBlockTokens);
      }
      engine.promptTokens += promptTokens;
      engine.cachedTokens += Math.max(0, cachedTokens);
      for (int believed : matched) {
        engine.believedTokens += believed * blockTokens;
      }
      if (prompts.size() == 1 && cachedTokens >= 0) {
        correct((int) (cachedTokens / blockTokens));
      }
    }

    private void correct(int cached) {
      PromptChain prompt = prompts.getFirst();
      int believed = proven[0];
      long now = nanoClock.getAsLong();
      if (cached < believed - TOLERANCE) {
        engine.cached.correct(prompt.blocks(), believed, cached);
        use(engine, prompt, true, now);
      } else if (cached > matched[0] && cached > elsewhere[0]) {
        engine.cached.correct(prompt.blocks(), matched[0], cached);
      }
      if (cached < elsewhere[0] - TOLERANCE && cached >= believed - TOLERANCE) {
        shared.correct(prompt.blocks(), elsewhere[0], cached);
        use(engine, prompt, true, now);
      }
    }
  }
}
