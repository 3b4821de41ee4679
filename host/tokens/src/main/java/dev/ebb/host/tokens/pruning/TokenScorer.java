package dev.ebb.host.tokens.pruning;

import dev.ebb.host.tokens.KeepTarget;
import dev.ebb.host.tokens.KeptTokens;
import dev.ebb.host.tokens.TokenBudget;
import dev.ebb.host.tokens.TokenSelection;
import dev.ebb.host.tokens.rows.StoredTokens;
import dev.ebb.host.tokens.signals.SequenceView;
import dev.ebb.host.tokens.signals.StoredKeys;
import dev.ebb.host.tokens.signals.TokenSignals;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Granularity;
import java.util.BitSet;

/**
 * Scores tokens with one token policy; its exceptions become a {@link TokenPolicyException}. If
 * lanes differ in length, each layer or each KV head is shown as a sequence of its own. For one
 * thread at a time.
 */
public final class TokenScorer {

  private final String name;
  private final TokenPolicy policy;
  private final PolicyFence fence;
  private final TokenBudget budget;
  private final SequenceView view;
  private final TokenSelection selection = new TokenSelection();
  private final BitSet mask = new BitSet();
  private float[] scores = {};

  /**
   * Creates a scorer for one policy.
   *
   * @param name the policy's name
   * @param policy the policy; the caller closes it
   * @param budget divides the kept tokens among layers and heads
   * @throws TokenPolicyException if the policy fails when its needs are read
   */
  public TokenScorer(String name, TokenPolicy policy, TokenBudget budget) {
    this.name = name;
    this.policy = policy;
    this.budget = budget;
    fence = new PolicyFence(name);
    view = fence.call(() -> new SequenceView(policy));
  }

  public String name() {
    return name;
  }

  /** Returns the policy, to be called by one thread at a time. */
  public TokenPolicy policy() {
    return policy;
  }

  /**
   * Selects the kept tokens of some layers.
   *
   * @param signals the sequence's signals
   * @param keys its keys
   * @param layers how many layers
   * @param target how many tokens to keep
   * @param kept receives the selection for these layers
   * @throws MissingSignal if the engine has not provided a signal that the policy needs
   * @throws TokenPolicyException if the policy fails
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
      String missing = view.missing();
      if (missing != null) {
        throw new MissingSignal("token policy '%s': %s".formatted(name, missing));
      }
      Granularity granularity = protect();
      int length = view.length();
      int sets = granularity == Granularity.KV_HEAD ? heads : 1;
      if (granularity == Granularity.SEQUENCE) {
        KeptTokens same = select(0, firstLayer, keys, sets, length, target, kept);
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
        KeptTokens own = select(layer, firstLayer, keys, sets, length, target, kept);
        kept.put(firstLayer + layer, firstHead, heads, own);
      }
    } finally {
      view.hide();
    }
  }

  private KeptTokens select(
      int layer,
      int firstLayer,
      StoredKeys keys,
      int sets,
      int length,
      KeepTarget target,
      KeptLanes kept) {
    if (scores.length != sets * length) {
      scores = new float[sets * length];
    }
    int guarded = mask.cardinality();
    int keep = budget.keep(target, length, guarded, firstLayer + layer, keys.layout().layers());
    KeptTokens out = kept.next();
    try {
      policy.score(view, layer, scores);
      view.saveState();
      selection.select(scores, sets, length, mask, keep, budget.floor(keep), out);
      return out;
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError failed) {
      throw fence.fault(failed);
    }
  }

  /** Reads the protected tokens and the granularity. */
  private Granularity protect() {
    mask.clear();
    try {
      policy.protect(view, mask);
      return policy.granularity();
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError failed) {
      throw fence.fault(failed);
    }
  }
}
