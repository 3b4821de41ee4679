package dev.ebb.host.tokens.pruning;

import dev.ebb.host.tokens.KeepTarget;
import dev.ebb.host.tokens.KeptTokens;
import dev.ebb.host.tokens.TokenSelection;
import dev.ebb.host.tokens.rows.StoredTokens;
import dev.ebb.host.tokens.signals.SequenceView;
import dev.ebb.host.tokens.signals.StoredKeys;
import dev.ebb.host.tokens.signals.TokenSignals;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Granularity;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Scores tokens with one token policy; its exceptions become a {@link TokenPolicyException}. If
 * lanes differ in length, each layer or each KV head is shown as a sequence of its own. For one
 * thread at a time.
 */
public final class TokenScorer {

  private final String name;
  private final TokenPolicy policy;
  private final TokenBudget budget;
  private final SequenceView view;
  private final SequenceView budgetView;
  private final TokenSelection selection = new TokenSelection();
  private final BitSet mask = new BitSet();
  private float[] scores = {};
  private double[] preferences = {};

  /**
   * Creates a scorer for one policy.
   *
   * @param budget divides the kept tokens among layers and heads
   * @throws TokenPolicyException if the policy or the budget fails when its needs are read
   */
  public TokenScorer(String name, TokenPolicy policy, TokenBudget budget) {
    this.name = name;
    this.policy = policy;
    this.budget = budget;
    try {
      view = new SequenceView(policy);
      budgetView = new SequenceView(budget);
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError failed) {
      throw new TokenPolicyException(name, failed);
    }
  }

  public String name() {
    return name;
  }

  /** Returns the budget, to be called by one thread at a time. */
  public TokenBudget budget() {
    return budget;
  }

  /** Returns the policy, to be called by one thread at a time. */
  public TokenPolicy policy() {
    return policy;
  }

  /**
   * Selects the kept tokens of some layers.
   *
   * @throws MissingSignal if the engine has not provided a signal that the policy needs
   * @throws TokenPolicyException if the policy or the budget fails
   */
  public void select(
      TokenSignals signals,
      StoredKeys keys,
      int firstLayer,
      int layers,
      KeepTarget target,
      KeptLanes kept) {
    StoredTokens stored = signals.stored();
    int heads = keys.layout().kvHeads();
    int first = firstLayer * heads;
    rate(signals, keys);
    if (alike(stored, first, layers * heads)) {
      boolean all = layers == keys.layout().layers();
      slice(signals, keys, firstLayer, layers, 0, heads, target, kept, all);
      return;
    }
    for (int layer = firstLayer; layer < firstLayer + layers; layer++) {
      boolean even = alike(stored, layer * heads, heads);
      for (int head = 0; head < heads; head += even ? heads : 1) {
        slice(signals, keys, layer, 1, head, even ? heads : 1, target, kept, false);
      }
    }
  }

  /** Asks the budget about every layer of the model. */
  private void rate(TokenSignals signals, StoredKeys keys) {
    int layers = keys.layout().layers();
    int heads = keys.layout().kvHeads();
    if (preferences.length != layers) {
      preferences = new double[layers];
      Arrays.fill(preferences, 1);
    }
    for (int layer = 0; budgetView.readsSignals() && layer < layers; layer++) {
      boolean even = alike(signals.stored(), layer * heads, heads);
      int shown = even ? heads : 1;
      double sum = 0;
      for (int head = 0; head < heads; head += shown) {
        budgetView.show(signals, keys, layer, 1, head, shown);
        sum += preference(shown);
      }
      preferences[layer] = sum / heads;
    }
  }

  private double preference(int heads) {
    try {
      requireSignals(budgetView, "budget of ");
      double preference = budget.preference(budgetView, 0);
      if (!Double.isFinite(preference)) {
        throw new IllegalStateException("preference '%s' must be finite".formatted(preference));
      }
      return heads * preference;
    } catch (MissingSignal missing) {
      throw missing;
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError failed) {
      throw new TokenPolicyException(name, failed);
    } finally {
      budgetView.hide();
    }
  }

  private void requireSignals(SequenceView shown, String whose) {
    String missing = shown.missing();
    if (missing != null) {
      throw new MissingSignal("%stoken policy '%s': %s".formatted(whose, name, missing));
    }
  }

  private static boolean alike(StoredTokens stored, int firstLane, int lanes) {
    int length = stored.length(stored.setOf(firstLane));
    for (int lane = firstLane; lane < firstLane + lanes; lane++) {
      if (stored.length(stored.setOf(lane)) != length) {
        return false;
      }
    }
    return true;
  }

  private void slice(
      TokenSignals signals,
      StoredKeys keys,
      int firstLayer,
      int layers,
      int firstHead,
      int heads,
      KeepTarget target,
      KeptLanes kept,
      boolean whole) {
    view.show(signals, keys, firstLayer, layers, firstHead, heads);
    try {
      requireSignals(view, "");
      Granularity granularity = protect();
      int length = view.length();
      int sets = granularity == Granularity.KV_HEAD ? heads : 1;
      if (granularity == Granularity.SEQUENCE) {
        KeptTokens same = select(0, firstLayer, sets, length, target, kept);
        if (whole) {
          kept.putAll(same);
          return;
        }
        for (int layer = 0; layer < layers; layer++) {
          kept.put(firstLayer + layer, firstHead, heads, same);
        }
        return;
      }
      for (int layer = 0; layer < layers; layer++) {
        KeptTokens own = select(layer, firstLayer, sets, length, target, kept);
        kept.put(firstLayer + layer, firstHead, heads, own);
      }
    } finally {
      view.hide();
    }
  }

  private KeptTokens select(
      int layer, int firstLayer, int sets, int length, KeepTarget target, KeptLanes kept) {
    if (scores.length != sets * length) {
      scores = new float[sets * length];
    }
    int guarded = mask.cardinality();
    KeptTokens out = kept.next();
    try {
      int keep = target.keep(budget, length, guarded, firstLayer + layer, preferences);
      policy.score(view, layer, scores);
      view.saveState();
      selection.select(scores, sets, length, mask, keep, budget.floor(keep), out);
      return out;
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError failed) {
      throw new TokenPolicyException(name, failed);
    }
  }

  /** Reads the protected tokens and the granularity. */
  private Granularity protect() {
    mask.clear();
    try {
      policy.protect(view, mask);
      return policy.granularity();
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError failed) {
      throw new TokenPolicyException(name, failed);
    }
  }
}
