package dev.ebb.testkit;

import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Granularity;
import dev.ebb.spi.TokenPolicyProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Everything the contract asks of a {@link TokenPolicy}.
 *
 * @since 0.1.0
 */
public final class TokenPolicyChecks {

  private final TokenPolicyProvider provider;
  private final CheckSettings settings;

  private TokenPolicyChecks(TokenPolicyProvider provider, CheckSettings settings) {
    this.provider = provider;
    this.settings = settings;
  }

  /**
   * The checks for one provider. Each makes its own instances, so they may be run in any order, and
   * alone.
   *
   * @param provider the provider to check
   * @param settings how
   * @return checks that have not run yet
   */
  public static List<Check> of(TokenPolicyProvider provider, CheckSettings settings) {
    TokenPolicyChecks checks = new TokenPolicyChecks(provider, settings);
    List<Check> all =
        new ArrayList<>(new CreationChecks(provider::name, provider::create, settings).all());
    all.add(settings.check("says what it needs", checks::declares));
    all.add(settings.check("protects only tokens that exist", checks::protects));
    all.add(settings.check("scores every token that is not protected", checks::scores));
    all.add(settings.check("remembers nothing between calls", checks::stateless));
    return List.copyOf(all);
  }

  private String declares(long seed) {
    TokenPolicy policy = create(seed);
    String declared = declaration(policy);
    for (TestTokenView view : TokenViews.all(policy.signals(), seed)) {
      protect(policy, view);
      score(policy, view, 0);
    }
    String later = declaration(policy);
    if (!later.equals(declared)) {
      throw new Violation(
          Rule.SIGNALS, "declared %s at first, %s later".formatted(declared, later));
    }
    Calls.close(policy);
    return declared;
  }

  private String protects(long seed) {
    TokenPolicy policy = create(seed);
    for (TestTokenView view : TokenViews.all(policy.signals(), seed)) {
      BitSet mask = protect(policy, view);
      if (mask.length() > view.length()) {
        throw new Violation(
            Rule.MASK, "token %d is protected, of %s".formatted(mask.length() - 1, view));
      }
    }
    Calls.close(policy);
    return "";
  }

  private String scores(long seed) {
    TokenPolicy policy = create(seed);
    for (TestTokenView view : TokenViews.all(policy.signals(), seed)) {
      BitSet mask = protect(policy, view);
      for (int layer = 0; layer < view.layers(); layer++) {
        float[] scores = score(policy, view, layer);
        for (int i = 0; i < scores.length; i++) {
          if (!mask.get(i % view.length()) && !Float.isFinite(scores[i])) {
            throw new Violation(
                Rule.SCORES,
                "token %d of layer %d, set %d, scores %s (NaN: nothing), of %s"
                    .formatted(i % view.length(), layer, i / view.length(), scores[i], view));
          }
        }
      }
    }
    Calls.close(policy);
    return "";
  }

  private String stateless(long seed) {
    TokenPolicy fresh = create(seed);
    TokenPolicy used = create(seed);
    List<TestTokenView> views = TokenViews.all(fresh.signals(), seed);
    for (TestTokenView view : views.reversed()) {
      protect(used, view);
      score(used, view, view.layers() - 1);
    }
    for (TestTokenView view : views) {
      boolean same = protect(fresh, view).equals(protect(used, view));
      if (!same || !Arrays.equals(score(fresh, view, 0), score(used, view, 0))) {
        throw new Violation(Rule.STATELESS, "a new instance and a used one disagree about " + view);
      }
    }
    Calls.close(used);
    Calls.close(fresh);
    return "";
  }

  private TokenPolicy create(long seed) {
    return Calls.create(provider::create, settings.context(1_000, seed));
  }

  private static String declaration(TokenPolicy policy) {
    Object signals = Calls.ask("signals()", policy::signals);
    Object granularity = Calls.ask("granularity()", policy::granularity);
    Object trigger = Calls.ask("trigger()", policy::trigger);
    if (signals == null || granularity == null || trigger == null) {
      throw new Violation(
          Rule.SIGNALS, "declared %s, %s, %s".formatted(signals, granularity, trigger));
    }
    return "%s, %s, %s".formatted(signals, granularity, trigger);
  }

  private static BitSet protect(TokenPolicy policy, TestTokenView view) {
    BitSet mask = new BitSet();
    Calls.tell("protect() of " + view, () -> policy.protect(view, mask));
    return mask;
  }

  private static float[] score(TokenPolicy policy, TestTokenView view, int layer) {
    int sets = policy.granularity() == Granularity.KV_HEAD ? view.kvHeads() : 1;
    float[] scores = new float[sets * view.length()];
    Arrays.fill(scores, Float.NaN);
    Calls.tell("score() of " + view, () -> policy.score(view, layer, scores));
    return scores;
  }
}
