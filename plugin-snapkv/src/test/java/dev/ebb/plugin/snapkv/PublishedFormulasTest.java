package dev.ebb.plugin.snapkv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.testkit.TestContext;
import dev.ebb.testkit.TestTokenView;
import java.io.IOException;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** LagKV and CAKE against {@code golden_lagkv_cake.py}, which computes the papers' formulas. */
class PublishedFormulasTest {

  @Test
  void lagKvRanksTokensByTheirDifferenceFromWhatFollows() throws IOException {
    JsonNode golden = Golden.kept("lagkv.json");
    int length = golden.get("length").asInt();
    TestTokenView view =
        new TestTokenView(
                1,
                golden.get("kvHeads").asInt(),
                golden.get("kvHeads").asInt(),
                golden.get("headDimension").asInt(),
                length)
            .with(Signal.KEYS, 0, floats(golden.get("keys")))
            .with(Signal.VALUES, 0, floats(golden.get("values")));
    Map<String, String> settings =
        Map.of("sinks", golden.get("sinks").asString(), "lag", golden.get("lag").asString());

    Scored scored = Scored.by(Scored.create(SnapKvPolicies.LAGKV, settings), view);

    assertThat(scored.scores()).containsExactly(floats(golden.get("scores")));
    // The sinks, the last whole partition of 8 and the 3 tokens behind it.
    assertThat(scored.mask().stream()).containsExactly(boxed(0, 4, length - 11, length));
  }

  @Test
  void lagKvKeepsTheNewestOfATextWithoutTwoPartitions() {
    TestTokenView view =
        new TestTokenView(1, 1, 1, 2, 19)
            .with(Signal.KEYS, 0, new float[38])
            .with(Signal.VALUES, 0, new float[38]);
    TokenPolicy policy = Scored.create(SnapKvPolicies.LAGKV, Map.of("sinks", "4", "lag", "8"));

    assertThat(Scored.by(policy, view).mask().cardinality()).isEqualTo(19);
  }

  @Test
  void cakeAddsTheVarianceToTheMean() throws IOException {
    JsonNode golden = Golden.kept("cake.json");
    int window = golden.get("window").asInt();
    int length = golden.get("length").asInt();
    TokenPolicy policy =
        Scored.create(
            SnapKvPolicies.CAKE,
            Map.of("window", "" + window, "kernel", "5", "gamma", golden.get("gamma").asString()));
    for (int layer = 0; layer < golden.get("layers").asInt(); layer++) {
      Scored scored = Scored.by(policy, layer(golden, layer));
      double[] expected = doubles(golden.get("scores").get(layer));
      int before = length - window;
      for (int i = 0; i < expected.length; i++) {
        assertThat((double) scored.scores()[i / before * length + i % before])
            .isCloseTo(expected[i], within(1e-5 * expected[i]));
      }
      assertThat(scored.mask().stream()).containsExactly(boxed(0, 0, before, length));
    }
  }

  @Test
  void cakeDividesTokensByThePreferencesOfTheLayers() throws IOException {
    JsonNode golden = Golden.kept("cake.json");
    int window = golden.get("window").asInt();
    int length = golden.get("length").asInt();
    int layers = golden.get("layers").asInt();
    for (JsonNode row : golden.get("cases")) {
      TokenBudget budget = budget(window, row.get("tau1").asString(), row.get("tau2").asString());
      double[] expected = doubles(row.get("preferences"));
      double[] preferences =
          IntStream.range(0, layers)
              .mapToDouble(layer -> budget.preference(layer(golden, layer), 0))
              .toArray();
      for (int layer = 0; layer < layers; layer++) {
        assertThat(preferences[layer]).isCloseTo(expected[layer], within(1e-9 * expected[layer]));
      }
      for (Map.Entry<String, JsonNode> kept : row.get("budgets").properties()) {
        int size = Integer.parseInt(kept.getKey());
        assertThat(
                IntStream.range(0, layers)
                    .map(layer -> budget.share(size, length, window, layer, preferences)))
            .as("%s tokens, %s", size, row)
            .containsExactly(
                IntStream.of(Golden.ints(kept.getValue())).boxed().toArray(Integer[]::new));
      }
    }
  }

  @Test
  void cakeKeepsTheMeanWheneverTheTokensExist() {
    SplittableRandom random = new SplittableRandom(3);
    TokenBudget budget = budget(8, "1", "1");
    for (int round = 0; round < 2_000; round++) {
      double[] preferences =
          random.doubles(1 + random.nextInt(40), 0, 1).map(x -> Math.pow(x, 6)).toArray();
      int length = 20 + random.nextInt(500);
      int size = 8 + random.nextInt(length - 8);
      int[] shares =
          IntStream.range(0, preferences.length)
              .map(layer -> budget.share(size, length, 8, layer, preferences))
              .toArray();
      assertThat(IntStream.of(shares)).allMatch(share -> share >= 8 && share <= length);
      assertThat(IntStream.of(shares).sum()).isEqualTo(size * preferences.length);
    }
  }

  private static TokenBudget budget(int window, String tau1, String tau2) {
    return SnapKvPolicies.CAKE_LAYERS.create(
        TestContext.ofCapacity(1)
            .with("window", "" + window)
            .with("tau1", tau1)
            .with("tau2", tau2));
  }

  private static TestTokenView layer(JsonNode golden, int layer) {
    return new TestTokenView(
            1,
            golden.get("kvHeads").asInt(),
            golden.get("queryHeads").asInt(),
            8,
            golden.get("length").asInt())
        .with(Signal.WINDOW_ATTENTION, 0, floats(golden.get("attention").get(layer)));
  }

  private static Integer[] boxed(int from, int to, int again, int end) {
    return IntStream.concat(IntStream.range(from, to), IntStream.range(again, end))
        .boxed()
        .toArray(Integer[]::new);
  }

  private static double[] doubles(JsonNode array) {
    return IntStream.range(0, array.size()).mapToDouble(i -> array.get(i).asDouble()).toArray();
  }

  private static float[] floats(JsonNode array) {
    return Naive.floats(doubles(array));
  }
}
