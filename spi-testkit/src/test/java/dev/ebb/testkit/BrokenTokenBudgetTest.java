package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenBudgetProvider;
import dev.ebb.spi.TokenPolicy.Granularity;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenView;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each mistake of a token budget fails a check, by its rule. */
class BrokenTokenBudgetTest {

  /** Divides tokens by the norms of the keys. */
  private static class ByNorm implements TokenBudget {
    @Override
    public Granularity granularity() {
      return Granularity.LAYER;
    }

    @Override
    public Set<Signal> signals() {
      return Set.of(Signal.KEY_NORM);
    }

    @Override
    public double preference(TokenView view, int layer) {
      return view.signal(Signal.KEY_NORM, layer).byteSize();
    }

    @Override
    public int share(double tokens, int length, int guarded, int layer, double[] preferences) {
      return (int) tokens;
    }
  }

  private interface Share {
    int of(double tokens, int length, int guarded, int layer, double[] preferences);
  }

  private static TokenBudget sharing(Share share) {
    return new ByNorm() {
      @Override
      public int share(double tokens, int length, int guarded, int layer, double[] preferences) {
        return share.of(tokens, length, guarded, layer, preferences);
      }
    };
  }

  private static Stream<Rule> broken(Supplier<TokenBudget> budget) {
    TokenBudgetProvider provider = TokenBudgetProvider.of("budget", context -> budget.get());
    return TokenBudgetChecks.of(provider, CheckSettings.defaults()).stream()
        .map(check -> check.run().broken())
        .filter(Objects::nonNull);
  }

  @Test
  void aGoodOnePasses() {
    assertThat(broken(ByNorm::new)).isEmpty();
  }

  @Test
  void aPreferenceThatIsNotANumber() {
    assertThat(
            broken(() ->
                new ByNorm() {
                  @Override
                  public double preference(TokenView view, int layer) {
                    return Double.NaN;
                  }
                }))
        .containsOnly(Rule.BUDGET);
  }

  @Test
  void aPreferenceThatRemembers() {
    assertThat(
            broken(() ->
                new ByNorm() {
                  private int calls;

                  @Override
                  public double preference(TokenView view, int layer) {
                    return calls++;
                  }
                }))
        .containsOnly(Rule.BUDGET);
  }

  @Test
  void aNegativeShareAndOneThatChangesThePreferences() {
    assertThat(
            broken(() ->
                sharing((tokens, length, guarded, layer, preferences) -> (int) tokens - guarded)))
        .containsOnly(Rule.BUDGET);
    assertThat(
            broken(() ->
                sharing((tokens, length, guarded, layer, preferences) -> {
                  preferences[layer] = -1;
                  return (int) tokens;
                })))
        .containsOnly(Rule.BUDGET);
  }

  @Test
  void aFloorAboveTheAverage() {
    assertThat(
            broken(() ->
                new ByNorm() {
                  @Override
                  public int floor(int keep) {
                    return keep + 1;
                  }
                }))
        .containsOnly(Rule.BUDGET);
  }

  @Test
  void aSignalThatWasNotDeclared() {
    assertThat(
            broken(() ->
                new ByNorm() {
                  @Override
                  public Set<Signal> signals() {
                    return Set.of();
                  }
                }))
        .containsOnly(Rule.SIGNALS);
    assertThat(
            broken(() ->
                new ByNorm() {
                  @Override
                  public Set<Signal> signals() {
                    return Set.of(Signal.KEY_NORM, Signal.STATE);
                  }
                }))
        .containsOnly(Rule.SIGNALS);
  }
}
