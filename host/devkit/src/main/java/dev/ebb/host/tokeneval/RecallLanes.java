package dev.ebb.host.tokeneval;

import static dev.ebb.host.tokeneval.RecallModel.HEADS;
import static dev.ebb.host.tokeneval.RecallModel.LAYERS;

import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.tokens.KeepTarget;
import dev.ebb.host.tokens.KeptTokens;
import dev.ebb.host.tokens.TokenSelection;
import dev.ebb.host.tokens.rows.KeptSets;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Granularity;
import dev.ebb.spi.TokenView;
import java.util.BitSet;

/** The tokens that a policy and a budget rule keep of a prompt, for each lane. */
final class RecallLanes {

  private RecallLanes() {}

  static KeptSets of(
      TokenPolicy policy, TokenBudget budget, int size, TokenView view, TokenView rated) {
    Granularity granularity = policy.granularity();
    int sets = granularity == Granularity.KV_HEAD ? HEADS : 1;
    int length = view.length();
    BitSet mask = new BitSet();
    call(policy, "protect", () -> policy.protect(view, mask));
    float[] scores = new float[sets * length];
    TokenSelection selection = new TokenSelection();
    KeptTokens kept = new KeptTokens();
    int[][] lanes = new int[LAYERS * HEADS][];
    double[] preferences = new double[LAYERS];
    for (int layer = 0; layer < LAYERS; layer++) {
      int asked = layer;
      call(
          budget,
          "preference",
          () ->
              preferences[asked] =
                  budget.signals().isEmpty() ? 1 : budget.preference(rated, asked));
    }
    for (int layer = 0; layer < LAYERS; layer++) {
      if (layer == 0 || granularity != Granularity.SEQUENCE) {
        int asked = layer;
        call(policy, "score", () -> policy.score(view, asked, scores));
        int keep =
            KeepTarget.ofSize(size).keep(budget, length, mask.cardinality(), layer, preferences);
        selection.select(scores, sets, length, mask, keep, budget.floor(keep), kept);
      }
      for (int head = 0; head < HEADS; head++) {
        lanes[layer * HEADS + head] = kept.tokens(sets == 1 ? 0 : head);
      }
    }
    return KeptSets.of(lanes);
  }

  private static void call(Object strategy, String method, Runnable body) {
    PluginCall.call(
        strategy,
        method + " failed",
        () -> {
          body.run();
          return true;
        });
  }
}
