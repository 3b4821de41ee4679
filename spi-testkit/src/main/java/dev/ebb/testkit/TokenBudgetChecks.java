package dev.ebb.testkit;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenBudgetProvider;
import dev.ebb.spi.TokenPolicy.Signal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * The checks of the contract of a {@link TokenBudget}.
 *
 * @since 1.7.0
 */
public final class TokenBudgetChecks {

  private static final int DIVISIONS = 2_000;

  private final TokenBudgetProvider provider;
  private final CheckSettings settings;

  private TokenBudgetChecks(TokenBudgetProvider provider, CheckSettings settings) {
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
  public static List<Check> of(TokenBudgetProvider provider, CheckSettings settings) {
    requireNonNull(provider, "provider() returned null, not the provider to check");
    TokenBudgetChecks checks = new TokenBudgetChecks(provider, settings);
    List<Check> all =
        new ArrayList<>(new CreationChecks(provider::name, provider::create, settings).all());
    all.add(settings.check("rates layers", checks::rates));
    all.add(settings.check("divides tokens", checks::divides));
    return List.copyOf(all);
  }

  private String rates(long seed) {
    TokenBudget first = create(seed);
    TokenBudget second = create(seed);
    Set<Signal> signals = Calls.ask("signals()", first::signals);
    int window = Calls.ask("window()", first::window);
    if (Calls.ask("granularity()", first::granularity) == null
        || window < 1
        || signals.contains(Signal.STATE)) {
      throw new Violation(
          Rule.SIGNALS, "declared %s and a window of %d".formatted(signals, window));
    }
    List<TestTokenView> views = TokenViews.all(signals, window, 1, seed);
    List<double[]> rated = views.stream().map(view -> preferences(first, view)).toList();
    for (int i = views.size() - 1; i >= 0; i--) {
      double[] again = preferences(second, views.get(i));
      if (!Arrays.equals(again, rated.get(i)) || !Arrays.stream(again).allMatch(Double::isFinite)) {
        throw new Violation(
            Rule.BUDGET,
            "preference() is %s, and %s in another order, of %s"
                .formatted(Arrays.toString(rated.get(i)), Arrays.toString(again), views.get(i)));
      }
    }
    Calls.close(first);
    return signals.toString();
  }

  private static double[] preferences(TokenBudget budget, TestTokenView view) {
    double[] preferences = new double[view.layers()];
    for (int i = 0; i < preferences.length; i++) {
      int layer = i;
      preferences[i] = Calls.ask("preference() of " + view, () -> budget.preference(view, layer));
    }
    return preferences;
  }

  private String divides(long seed) {
    TokenBudget budget = create(seed);
    Random random = new Random(seed);
    for (int i = 0; i < DIVISIONS; i++) {
      double[] preferences = random.doubles(1 + random.nextInt(40), 0, 3).toArray();
      if (random.nextInt(4) == 0) {
        Arrays.fill(preferences, random.nextInt(2));
      }
      int length = random.nextInt(5_000);
      int guarded = random.nextInt(length + 1);
      double tokens = random.nextDouble() * (length + 10);
      int layer = random.nextInt(preferences.length);
      double[] given = preferences.clone();
      int share = Calls.ask("share()", () -> budget.share(tokens, length, guarded, layer, given));
      int again = Calls.ask("share()", () -> budget.share(tokens, length, guarded, layer, given));
      int floor = Calls.ask("floor()", () -> budget.floor(share));
      if (share < 0 || again != share || floor < 0 || floor > share) {
        throw new Violation(
            Rule.BUDGET,
            "share() is %d and then %d, floor() %d: %s tokens of %d, %d protected, layer %d of %d"
                .formatted(
                    share, again, floor, tokens, length, guarded, layer, preferences.length));
      }
      if (!Arrays.equals(given, preferences)) {
        throw new Violation(Rule.BUDGET, "share() changed the preferences");
      }
    }
    Calls.close(budget);
    return "%d divisions".formatted(DIVISIONS);
  }

  private TokenBudget create(long seed) {
    return Calls.create(provider::create, settings.context(1_000, seed));
  }
}
