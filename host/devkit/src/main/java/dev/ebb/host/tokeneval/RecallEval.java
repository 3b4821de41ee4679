package dev.ebb.host.tokeneval;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.policy.PolicyFactory;
import dev.ebb.host.policy.PolicyPartition;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.host.tokeneval.RecallResult.Asked;
import dev.ebb.host.tokens.BudgetRules;
import dev.ebb.host.tokens.InvalidScore;
import dev.ebb.host.tokens.TokenAlias;
import dev.ebb.host.tokens.rows.KeptSets;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Measures what a model remembers after token policies have dropped a part of its prompts. */
public final class RecallEval {

  private final PolicyFactory factory;
  private final RecallOptions options;
  private final Progress progress;
  private int done;

  /** Receives the progress of an evaluation. */
  @FunctionalInterface
  public interface Progress {
    void at(int done, int total);
  }

  /**
   * Prepares an evaluation.
   *
   * @param progress called after each prompt
   */
  public RecallEval(PolicyFactory factory, RecallOptions options, Progress progress) {
    this.factory = factory;
    this.options = options;
    this.progress = progress;
  }

  /**
   * Evaluates.
   *
   * @return one result for each policy, time of the question and ratio; first all with everything
   *     kept
   * @throws UserError if a policy, its settings or its budget are wrong
   */
  public List<RecallResult> run() {
    List<Candidate> candidates = new ArrayList<>();
    try (RecallBed bed = new RecallBed(RecallModel.of(options.seed()), options.length())) {
      for (PolicySpec spec : options.policies()) {
        candidates.add(candidate(spec));
      }
      List<RecallResult> results = new ArrayList<>();
      for (Asked asked : Asked.values()) {
        results.addAll(ask(bed, candidates, asked));
      }
      return results;
    } finally {
      candidates.forEach(Candidate::close);
    }
  }

  /**
   * Returns whether a policy's granularity is fine enough for a budget rule.
   *
   * @param spec the policy, or a name of one with a rule of its own
   * @return false if the rule needs a finer one
   */
  public static boolean fits(PolicyFactory factory, PolicySpec spec, String budget) {
    TokenAlias meant = TokenAlias.resolve(spec.name(), budget);
    try (StrategyInstance<TokenPolicy> policy = create(factory, spec, meant, 0);
        StrategyInstance<TokenBudget> rule = factory.createTokenBudget(meant.budget(), at(0))) {
      return BudgetRules.fits(rule.value(), policy.value().granularity());
    }
  }

  private Candidate candidate(PolicySpec spec) {
    TokenAlias meant = TokenAlias.resolve(spec.name(), options.budget());
    StrategyInstance<TokenBudget> budget =
        factory.createTokenBudget(meant.budget(), at(options.seed()));
    Candidate candidate;
    try {
      candidate =
          new Candidate(
              spec.display(),
              create(factory, spec, meant, options.seed()),
              budget,
              options.ratios().size());
    } catch (RuntimeException refused) {
      budget.close();
      throw refused;
    }
    try {
      BudgetRules.requireFits(
          meant.budget(), budget.value(), spec.display(), candidate.policy.granularity());
    } catch (UserError wrong) {
      candidate.close();
      throw wrong;
    }
    return candidate;
  }

  private static PolicyPartition at(long seed) {
    return new PolicyPartition("recall", 1_024, System::nanoTime, seed);
  }

  private static StrategyInstance<TokenPolicy> create(
      PolicyFactory factory, PolicySpec spec, TokenAlias meant, long seed) {
    return factory.createTokenPolicy(
        new PolicySpec(spec.display(), meant.policy(), spec.settings()), at(seed));
  }

  private List<RecallResult> ask(RecallBed bed, List<Candidate> candidates, Asked asked) {
    int full = 0;
    candidates.forEach(Candidate::reset);
    for (int i = 0; i < options.prompts(); i++) {
      RecallQuestion question =
          RecallQuestions.of(
              options.length(), asked == Asked.IN_PROMPT, options.seed() * 1_000_003 + i);
      try (RecallBed.Prompt prompt = bed.read(question)) {
        full += question.rightly(prompt.answer(null, question.answer().length)) ? 1 : 0;
        candidates.forEach(candidate -> answer(candidate, prompt, question));
      }
      progress.at(++done, Asked.values().length * options.prompts());
    }
    List<RecallResult> results = new ArrayList<>();
    results.add(new RecallResult(RecallResult.FULL, asked, 1, options.prompts(), full, null));
    for (Candidate candidate : candidates) {
      for (int r = 0; r < options.ratios().size(); r++) {
        results.add(
            new RecallResult(
                candidate.name,
                asked,
                options.ratios().get(r),
                options.prompts(),
                candidate.right[r],
                candidate.failure));
      }
    }
    return results;
  }

  private void answer(Candidate candidate, RecallBed.Prompt prompt, RecallQuestion question) {
    for (int r = 0; r < options.ratios().size() && candidate.failure == null; r++) {
      int size = Math.max(1, (int) (options.length() * options.ratios().get(r)));
      try {
        KeptSets kept = prompt.keep(candidate.policy, candidate.budget, size);
        int[] given = prompt.answer(kept, question.answer().length);
        candidate.right[r] += question.rightly(given) ? 1 : 0;
      } catch (PluginFailure | InvalidScore failed) {
        candidate.failure = String.valueOf(failed.getMessage());
      }
    }
  }

  /** A policy under evaluation. */
  private static final class Candidate implements AutoCloseable {
    final String name;
    private final StrategyInstance<TokenPolicy> instance;
    private final StrategyInstance<TokenBudget> rule;
    final TokenPolicy policy;
    final TokenBudget budget;
    int[] right;
    @Nullable String failure;

    Candidate(
        String name,
        StrategyInstance<TokenPolicy> instance,
        StrategyInstance<TokenBudget> rule,
        int ratios) {
      this.name = name;
      this.instance = instance;
      this.rule = rule;
      policy = instance.value();
      budget = rule.value();
      right = new int[ratios];
    }

    @Override
    public void close() {
      instance.close();
      rule.close();
    }

    void reset() {
      right = new int[right.length];
    }
  }
}
