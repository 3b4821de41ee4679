package dev.ebb.host.engine.sequence;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.prune.TokenEviction;
import dev.ebb.host.errors.UserError;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Budgets of plugins in a generation loop, whose attention is checked after every step. */
class TokenBudgetsTest {

  private static final int LANES = 4;

  /** The sum over the layer's heads of the attention that the newest two tokens received. */
  private static double received(TokenView view, int layer) {
    float[] rows =
        view.signal(TokenPolicy.Signal.WINDOW_ATTENTION, layer)
            .toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
    double sum = 0;
    for (int i = 0; i < rows.length; i++) {
      sum += i % view.length() >= view.length() - 2 ? rows[i] : 0;
    }
    return sum;
  }

  /** Divides tokens in proportion to the attention of the newest tokens. */
  private static class Attentive implements TokenBudget {
    final List<double[]> seen = new ArrayList<>();
    int asked;

    @Override
    public TokenPolicy.Granularity granularity() {
      return TokenPolicy.Granularity.LAYER;
    }

    @Override
    public Set<TokenPolicy.Signal> signals() {
      return Set.of(TokenPolicy.Signal.WINDOW_ATTENTION);
    }

    @Override
    public int window() {
      return 3;
    }

    @Override
    public double preference(TokenView view, int layer) {
      asked++;
      assertThat(view.signal(TokenPolicy.Signal.WINDOW_ATTENTION, layer).byteSize())
          .isEqualTo(4L * view.queryHeads() * Math.min(3, view.length()) * view.length());
      return received(view, layer);
    }

    @Override
    public int share(double tokens, int length, int guarded, int layer, double[] preferences) {
      seen.add(preferences.clone());
      double sum = Arrays.stream(preferences).sum();
      return (int) (tokens * preferences.length * preferences[layer] / sum);
    }
  }

  /** Keeps the newest tokens of each layer. */
  private record Newest(Granularity granularity) implements TokenPolicy {
    @Override
    public Set<Signal> signals() {
      return Set.of();
    }

    @Override
    public Trigger trigger() {
      return Trigger.UNDER_PRESSURE;
    }

    @Override
    public void score(TokenView view, int layer, float[] out) {
      for (int i = 0; i < view.length(); i++) {
        out[i] = i;
      }
    }
  }

  private static GenerationLoop loop(HostDevice device, TokenBudget budget, boolean observed) {
    return new GenerationLoop(
        device,
        LANES,
        GenerationLoop.config("policy = newest, budget = attentive, window = 12"),
        GenerationLoop.observing(observed, false),
        (loop, name) -> new Newest(TokenPolicy.Granularity.LAYER),
        name -> budget);
  }

  @Test
  void aBudgetDividesTokensByWhatItReadsOfEveryLayer() {
    Attentive budget = new Attentive();
    try (HostDevice device = new HostDevice();
        GenerationLoop loop = loop(device, budget, true)) {
      loop.run(13);

      int[] lengths = lengths(loop);
      double[] preferences = budget.seen.getFirst();
      assertThat(preferences[0]).isNotEqualTo(preferences[1]);
      double sum = preferences[0] + preferences[1];
      for (int layer = 0; layer < 2; layer++) {
        int share = Math.min(13, (int) (24 * preferences[layer] / sum));
        assertThat(lengths[2 * layer]).isEqualTo(share).isEqualTo(lengths[2 * layer + 1]);
      }
      assertThat(budget.asked).isEqualTo(2);
      // Layers differ in length from here on.
      loop.run(40);
      assertThat(budget.asked).isGreaterThan(10);
    }
  }

  @Test
  void noTokenIsLostIfABudgetFails() {
    TokenBudget failing =
        new Attentive() {
          @Override
          public double preference(TokenView view, int layer) {
            return Double.NaN;
          }
        };
    try (HostDevice device = new HostDevice();
        GenerationLoop loop = loop(device, failing, true)) {
      List<TokenEviction> evictions = loop.run(20);

      assertThat(loop.sequence.length()).isEqualTo(20);
      assertThat(evictions.getLast().detail()).contains("'newest'", "'NaN' must be finite");
    }
  }

  @Test
  void aBudgetWhoseSignalsTheEngineLacksIsRefused() {
    try (HostDevice device = new HostDevice()) {
      assertThatThrownBy(() -> loop(device, new Attentive(), false))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("WINDOW_ATTENTION");
    }
  }

  @Test
  void aPolicyThatIsTooCoarseIsRefused() {
    try (HostDevice device = new HostDevice()) {
      assertThatThrownBy(() ->
              new GenerationLoop(
                  device,
                  LANES,
                  GenerationLoop.config("policy = newest, budget = attentive, window = 12"),
                  GenerationLoop.observing(true, false),
                  (loop, name) -> new Newest(TokenPolicy.Granularity.SEQUENCE),
                  name -> new Attentive()))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("'attentive' needs a policy with one kept set per layer");
    }
  }

  private static int[] lengths(GenerationLoop loop) {
    try (KvAccess access = requireNonNull(loop.sequence).reading()) {
      return IntStream.range(0, LANES).map(access::length).toArray();
    }
  }
}
