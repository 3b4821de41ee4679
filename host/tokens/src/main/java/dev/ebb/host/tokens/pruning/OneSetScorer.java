package dev.ebb.host.tokens.pruning;

import dev.ebb.host.tokens.BudgetRules;
import dev.ebb.host.tokens.KeepTarget;
import dev.ebb.host.tokens.KeptTokens;
import dev.ebb.host.tokens.TokenSelection;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Granularity;
import dev.ebb.spi.TokenView;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Scores tokens with one token policy, for a cache that keeps a token in all layers and heads or in
 * none. The mean of the policy's scores over layers and heads decides. For one thread at a time.
 */
public final class OneSetScorer {

  private static final TokenBudget SAME_EVERYWHERE = new BudgetRules.Uniform();
  private static final double[] ONE_LAYER = {1};

  private final TokenPolicy policy;
  private final String name;
  private final TokenSelection selection = new TokenSelection();
  private final BitSet mask = new BitSet();
  private float[] scores = {};
  private float[] means = {};

  public OneSetScorer(String name, TokenPolicy policy) {
    this.name = name;
    this.policy = policy;
  }

  /** Selects the kept tokens; throws {@link TokenPolicyException} if the policy fails. */
  public void select(TokenView view, KeepTarget target, KeptTokens kept) {
    try {
      int length = view.length();
      mask.clear();
      policy.protect(view, mask);
      score(view, length);
      int keep = target.keep(SAME_EVERYWHERE, length, mask.cardinality(), 0, ONE_LAYER);
      selection.select(means, 1, length, mask, keep, keep, kept);
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError failed) {
      throw new TokenPolicyException(name, failed);
    }
  }

  private void score(TokenView view, int length) {
    Granularity granularity = policy.granularity();
    int sets = granularity == Granularity.KV_HEAD ? view.kvHeads() : 1;
    int layers = granularity == Granularity.SEQUENCE ? 1 : view.layers();
    if (scores.length != sets * length) {
      scores = new float[sets * length];
    }
    if (means.length < length) {
      means = new float[length + length / 4];
    }
    Arrays.fill(means, 0, length, 0);
    for (int layer = 0; layer < layers; layer++) {
      policy.score(view, layer, scores);
      for (int i = 0; i < sets * length; i++) {
        means[i % length] += scores[i] / (sets * layers);
      }
    }
  }
}
