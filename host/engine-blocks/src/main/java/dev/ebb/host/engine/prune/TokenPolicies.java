package dev.ebb.host.engine.prune;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.engine.TokensConfig.LayerChoice;
import dev.ebb.host.config.engine.TokensConfig.OnMissingSignal;
import dev.ebb.host.config.engine.TokensConfig.PressureChoice;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.BudgetRules;
import dev.ebb.host.tokens.TokenAlias;
import dev.ebb.host.tokens.pruning.TokenScorer;
import dev.ebb.host.tokens.signals.Observations;
import dev.ebb.host.tokens.signals.SignalNeeds;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The active token policies, each made once, by the names by which they were chosen. */
public final class TokenPolicies implements AutoCloseable {

  static final String SLIDING_WINDOW = "sliding-window";
  private static final Logger LOG = LoggerFactory.getLogger(TokenPolicies.class);

  private final TokensConfig config;
  private final KvLayout layout;
  private final Observations observations;
  private final Function<PolicySpec, StrategyInstance<TokenPolicy>> factory;
  private final Function<String, StrategyInstance<TokenBudget>> budgets;
  private final Map<String, TokenScorer> made = new LinkedHashMap<>();
  private final Map<TokenScorer, Instances> instances = new HashMap<>();
  private long replaced;

  /** A policy and its budget. */
  private record Instances(
      StrategyInstance<TokenPolicy> policy, StrategyInstance<TokenBudget> budget)
      implements AutoCloseable {

    List<StrategyVersion> versions() {
      return List.of(policy.version(), budget.version());
    }

    @Override
    public void close() {
      policy.close();
      budget.close();
    }
  }

  public TokenPolicies(
      TokensConfig config,
      KvLayout layout,
      Observations observations,
      Function<PolicySpec, StrategyInstance<TokenPolicy>> factory,
      Function<String, StrategyInstance<TokenBudget>> budgets) {
    this.config = config;
    this.layout = layout;
    this.observations = observations;
    this.factory = factory;
    this.budgets = budgets;
  }

  public void makeAll() {
    List<String> names = new ArrayList<>(List.of(config.policy().name()));
    for (LayerChoice layers : config.layers()) {
      names.add(layers.policy().name());
      if (layers.last() >= layout.layers()) {
        throw new UserError(
            "layers '%d-%d' of ebb.tokens.layers must be from 0 to %d"
                .formatted(layers.first(), layers.last(), layout.layers() - 1));
      }
    }
    if (!config.layers().isEmpty()) {
      requireGroups(layout.layers(), "ebb.tokens.layers");
    }
    for (PressureChoice rule : config.pressure()) {
      names.add(rule.policy().name());
    }
    names.stream().filter(name -> !isNone(name)).forEach(this::scorer);
  }

  public static boolean isNone(String name) {
    return name.equals(NoEviction.NAME);
  }

  /** Returns the scorer of a name; the first call makes it, or its replacement. */
  public TokenScorer scorer(String name) {
    TokenScorer known = made.get(name);
    if (known == null) {
      known = make(name);
      made.put(name, known);
    }
    return known;
  }

  /**
   * Makes every policy again whose plugin has changed, and closes the previous one. A policy that
   * cannot be made again stays as it is.
   */
  public void reload() {
    for (TokenScorer before : List.copyOf(instances.keySet())) {
      try {
        reload(before);
      } catch (RuntimeException failed) {
        LOG.error(
            "token policy not reloaded policy={} reason=\"{}\"", before.name(), reason(failed));
      }
    }
  }

  private void reload(TokenScorer before) {
    TokenScorer next = make(before.name());
    Instances now = requireNonNull(instances.get(next));
    if (next == before || now.versions().equals(requireNonNull(instances.get(before)).versions())) {
      release(next == before ? null : next);
      return;
    }
    made.replaceAll((name, scorer) -> scorer == before ? next : scorer);
    release(before);
    LOG.info(
        "token policy reloaded policy={} plugin={} version={}",
        next.name(),
        now.policy().version().plugin(),
        now.policy().version().version());
  }

  private void release(@Nullable TokenScorer scorer) {
    Instances instance = scorer == null ? null : instances.remove(scorer);
    if (instance != null) {
      instance.close();
    }
  }

  private static String reason(RuntimeException failed) {
    return failed instanceof UserError wrong
        ? String.join("; ", wrong.messages())
        : UntrustedText.of(failed);
  }

  /** Returns the replacement of a failing policy, if configured. */
  public @Nullable TokenScorer fallback() {
    return config.onMissingSignal() == OnMissingSignal.SLIDING_WINDOW
        ? scorer(SLIDING_WINDOW)
        : null;
  }

  private TokenScorer make(String name) {
    TokenAlias chosen = TokenAlias.resolve(name, config.budget().name());
    StrategyInstance<TokenPolicy> policy = factory.apply(PolicySpec.of(chosen.policy()));
    Instances made;
    try {
      made = new Instances(policy, budgets.apply(chosen.budget()));
    } catch (RuntimeException refused) {
      policy.close();
      throw refused;
    }
    try {
      Set<Signal> needed = EnumSet.noneOf(Signal.class);
      needed.addAll(policy.value().signals());
      needed.addAll(made.budget().value().signals());
      Set<Signal> lacking = observations.lacking(needed);
      if (lacking.isEmpty()) {
        TokenScorer scorer = scorer(name, chosen.budget(), made, needed);
        instances.put(scorer, made);
        return scorer;
      }
      if (config.onMissingSignal() == OnMissingSignal.REFUSE || name.equals(SLIDING_WINDOW)) {
        throw new UserError(
            "token policy '%s' needs %s, which this engine does not provide: set its Observations (QUERIES or ATTENTION of EBB.SEQ MODEL), choose another ebb.tokens.policy, or set ebb.tokens.on-missing-signal = sliding-window"
                .formatted(name, lacking));
      }
      LOG.warn("token policy replaced policy={} by={} lacking={}", name, SLIDING_WINDOW, lacking);
    } catch (RuntimeException refused) {
      made.close();
      throw refused;
    }
    made.close();
    replaced++;
    return scorer(SLIDING_WINDOW);
  }

  private TokenScorer scorer(String name, String rule, Instances made, Set<Signal> needed) {
    TokenPolicy policy = made.policy().value();
    TokenBudget budget = made.budget().value();
    requireComputable(name, needed);
    BudgetRules.requireFits(rule, budget, name, policy.granularity());
    int parts =
        switch (budget.granularity()) {
          case SEQUENCE -> 1;
          case LAYER -> layout.layers();
          case KV_HEAD -> layout.layers() * layout.kvHeads();
        };
    requireGroups(parts, "budget '%s'".formatted(rule));
    return new TokenScorer(name, policy, budget);
  }

  private void requireComputable(String name, Set<Signal> needed) {
    if (!needed.isEmpty() && !DType.computable().contains(layout.dtype())) {
      throw new UserError(
          "token policy '%s' needs keys to compute with, not of type '%s'; allowed: %s"
              .formatted(name, layout.dtype(), DType.computable()));
    }
  }

  private void requireGroups(int parts, String subject) {
    if (layout.laneGroups() % parts != 0) {
      throw new UserError(
          "%s needs a KvLayout (LANEGROUPS of EBB.SEQ MODEL) of '%d' lane groups, not '%d': lanes of one group keep equally many tokens"
              .formatted(subject, parts, layout.laneGroups()));
    }
  }

  /** Returns how many policies have been replaced because the engine lacks their signals. */
  public long replaced() {
    return replaced;
  }

  public List<String> names() {
    return made.values().stream().map(TokenScorer::name).distinct().toList();
  }

  public SignalNeeds needs() {
    return SignalNeeds.of(
        made.values().stream().map(TokenScorer::policy).toList(),
        made.values().stream().map(TokenScorer::budget).toList());
  }

  @Override
  public void close() {
    instances.values().forEach(Instances::close);
    instances.clear();
    made.clear();
  }
}
