package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Granularity;
import dev.ebb.spi.TokenPolicyProvider;
import dev.ebb.spi.TokenView;
import dev.ebb.testkit.TestContext;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;

/** What a policy says of layer 0 of a sequence. */
final class Scored {

  private final float[] scores;
  private final BitSet mask;
  private final int length;

  private Scored(float[] scores, BitSet mask, int length) {
    this.scores = scores;
    this.mask = mask;
    this.length = length;
  }

  static TokenPolicy create(TokenPolicyProvider provider, Map<String, String> settings) {
    TestContext context = TestContext.ofCapacity(1);
    settings.forEach(context::with);
    return provider.create(context);
  }

  static Scored by(TokenPolicy policy, TokenView view) {
    int sets = policy.granularity() == Granularity.KV_HEAD ? view.kvHeads() : 1;
    float[] scores = new float[sets * view.length()];
    Arrays.fill(scores, Float.NaN);
    BitSet mask = new BitSet();
    policy.protect(view, mask);
    policy.score(view, 0, scores);
    return new Scored(scores, mask, view.length());
  }

  float[] scores() {
    return scores;
  }

  BitSet mask() {
    return mask;
  }

  int[] kept(int set, int keep) {
    return Naive.kept(scores, set * length, length, mask, keep);
  }
}
