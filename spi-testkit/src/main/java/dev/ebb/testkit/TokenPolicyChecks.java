package dev.ebb.testkit;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Granularity;
import dev.ebb.spi.TokenPolicyProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;

/**
 * The checks of the contract of a {@link TokenPolicy}.
 *
 * @since 1.0.0
 */
public final class TokenPolicyChecks {

  private final TokenPolicyProvider provider;
  private final CheckSettings settings;

  private TokenPolicyChecks(TokenPolicyProvider provider, CheckSettings settings) {
    this.provider = provider;
    this.settings = settings;
  }

  /**
   * Returns the checks for one provider. Each makes its own instances, so they may be run in any
   * order, and alone.
   *
   * @param provider the provider to check
   * @param settings the extent of the checks and the strategy's settings
   * @return checks that have not run yet
   */
  public static List<Check> of(TokenPolicyProvider provider, CheckSettings settings) {
    requireNonNull(provider, "provider() returned null, not the provider to check");
    TokenPolicyChecks checks = new TokenPolicyChecks(provider, settings);
    List<Check> all =
        new ArrayList<>(new CreationChecks(provider::name, provider::create, settings).all());
    all.add(settings.check("says what it needs", checks::declares));
    all.add(settings.check("protects only tokens that exist", checks::protects));
    all.add(settings.check("scores every token that is not protected", checks::scores));
    all.add(settings.check("remembers nothing between calls", checks::stateless));
    all.add(settings.check("makes no garbage when warm", checks::allocation));
    return List.copyOf(all);
  }

  private String declares(long seed) {
    TokenPolicy policy = create(seed);
    String declared = declaration(policy);
    for (TestTokenView view : TokenViews.all(policy, seed)) {
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
    for (TestTokenView view : TokenViews.all(policy, seed)) {
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
    for (TestTokenView view : TokenViews.all(policy, seed)) {
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
        requireFinite(view.state(layer), layer, view);
      }
    }
    Calls.close(policy);
    return "";
  }

  private static void requireFinite(float[] state, int layer, TestTokenView view) {
    for (int i = 0; i < state.length; i++) {
      if (!Float.isFinite(state[i])) {
        int token = i / (state.length / (view.kvHeads() * view.length()));
        throw new Violation(
            Rule.STATE,
            "the state of token %d of layer %d, KV head %d, is %s, of %s"
                .formatted(token % view.length(), layer, token / view.length(), state[i], view));
      }
    }
  }

  private String stateless(long seed) {
    TokenPolicy fresh = create(seed);
    TokenPolicy used = create(seed);
    List<TestTokenView> views = TokenViews.all(fresh, seed);
    IdentityHashMap<TestTokenView, List<float[]>> before = new IdentityHashMap<>();
    for (TestTokenView view : views.reversed()) {
      List<float[]> upperFirst = new ArrayList<>();
      for (int layer = view.layers() - 1; layer >= 0; layer--) {
        upperFirst.addFirst(result(used, view, layer));
      }
      protect(used, view);
      before.put(view, upperFirst);
    }
    for (TestTokenView view : views) {
      boolean same = protect(fresh, view).equals(protect(used, view));
      for (int layer = 0; layer < view.layers() && same; layer++) {
        float[] expected = Objects.requireNonNull(before.get(view)).get(layer);
        same =
            Arrays.equals(result(fresh, view, layer), expected)
                && Arrays.equals(result(used, view, layer), expected);
      }
      if (!same) {
        throw new Violation(
            Rule.STATELESS, "instances asked in another order disagree about " + view);
      }
    }
    Calls.close(used);
    Calls.close(fresh);
    return "";
  }

  private String allocation(long seed) {
    TokenPolicy policy = create(seed);
    TestTokenView view = TokenViews.all(policy, seed).getLast();
    float[] scores = new float[view.kvHeads() * view.length()];
    BitSet mask = new BitSet(view.length());
    Runnable call =
        () -> {
          mask.clear();
          policy.protect(view, mask);
          policy.score(view, 0, scores);
        };
    long bytes = Garbage.perCall(() -> Calls.run("score() of " + view.length() + " tokens", call));
    if (bytes > scores.length) {
      throw new Violation(
          Rule.ALLOCATION, "a call allocates %d bytes, of %s".formatted(bytes, view));
    }
    Calls.close(policy);
    return bytes < 0 ? "not measured by this JVM" : "";
  }

  private TokenPolicy create(long seed) {
    return Calls.create(provider::create, settings.context(1_000, seed));
  }

  private static String declaration(TokenPolicy policy) {
    Object signals = Calls.ask("signals()", policy::signals);
    Object granularity = Calls.ask("granularity()", policy::granularity);
    Object trigger = Calls.ask("trigger()", policy::trigger);
    int window = Calls.ask("window()", policy::window);
    if (signals == null || granularity == null || trigger == null) {
      throw new Violation(
          Rule.SIGNALS, "declared %s, %s, %s".formatted(signals, granularity, trigger));
    }
    if (window < 1) {
      throw new Violation(Rule.SIGNALS, "a window of %d queries".formatted(window));
    }
    int stateSize = Calls.ask("stateSize()", policy::stateSize);
    if (stateSize < 1 || stateSize > 64) {
      throw new Violation(Rule.SIGNALS, "a state of %d numbers".formatted(stateSize));
    }
    int skipped = Calls.ask("skippedQueries()", policy::skippedQueries);
    if (skipped < 0) {
      throw new Violation(Rule.SIGNALS, "%d queries left out".formatted(skipped));
    }
    return "%s, a window of %d, a state of %d, %d queries left out, %s, %s"
        .formatted(signals, window, stateSize, skipped, granularity, trigger);
  }

  private static BitSet protect(TokenPolicy policy, TestTokenView view) {
    BitSet mask = new BitSet();
    Calls.run("protect() of " + view, () -> policy.protect(view, mask));
    return mask;
  }

  /** Returns the scores, and the state that was written. */
  private static float[] result(TokenPolicy policy, TestTokenView view, int layer) {
    float[] scores = score(policy, view, layer);
    float[] state = view.state(layer);
    float[] all = Arrays.copyOf(scores, scores.length + state.length);
    System.arraycopy(state, 0, all, scores.length, state.length);
    return all;
  }

  private static float[] score(TokenPolicy policy, TestTokenView view, int layer) {
    int sets = policy.granularity() == Granularity.KV_HEAD ? view.kvHeads() : 1;
    float[] scores = new float[sets * view.length()];
    Arrays.fill(scores, Float.NaN);
    view.resetStates();
    Calls.run("score() of " + view, () -> policy.score(view, layer, scores));
    return scores;
  }
}
