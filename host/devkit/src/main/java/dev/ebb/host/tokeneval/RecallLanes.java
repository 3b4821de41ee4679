package dev.ebb.host.tokeneval;

import static dev.ebb.host.tokeneval.RecallModel.HEADS;
import static dev.ebb.host.tokeneval.RecallModel.LAYERS;

import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.tokens.KeepTarget;
import dev.ebb.host.tokens.KeptTokens;
import dev.ebb.host.tokens.TokenBudget;
import dev.ebb.host.tokens.TokenSelection;
import dev.ebb.host.tokens.rows.KeptSets;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Granularity;
import dev.ebb.spi.TokenView;
import java.util.BitSet;

/** The tokens that a policy and a budget rule keep of a prompt, for each lane. */
final class RecallLanes {

  private RecallLanes() {}

  static KeptSets of(TokenPolicy policy, TokenBudget budget, int size, TokenView view) {
    Granularity granularity = policy.granularity();
    int sets = granularity == Granularity.KV_HEAD ? HEADS : 1;
    int length = view.length();
    BitSet mask = new BitSet();
    call(policy, "protect", () -> policy.protect(view, mask));
    float[] scores = new float[sets * length];
    TokenSelection selection = new TokenSelection();
    KeptTokens kept = new KeptTokens();
    int[][] lanes = new int[LAYERS * HEADS][];
    for (int layer = 0; layer < LAYERS; layer++) {
      if (layer == 0 || granularity != Granularity.SEQUENCE) {
        int asked = layer;
        call(policy, "score", () -> policy.score(view, asked, scores));
        int keep = budget.keep(KeepTarget.ofSize(size), length, mask.cardinality(), layer, LAYERS);
        selection.select(scores, sets, length, mask, keep, budget.floor(keep), kept);
      }
      for (int head = 0; head < HEADS; head++) {
        lanes[layer * HEADS + head] = kept.tokens(sets == 1 ? 0 : head);
      }
    }
    return KeptSets.of(lanes);
  }

  private static void call(TokenPolicy policy, String method, Runnable body) {
    PluginCall.call(
        policy,
        method + " failed",
        () -> {
          body.run();
          return true;
        });
  }
}
