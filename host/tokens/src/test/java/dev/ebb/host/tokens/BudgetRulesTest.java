package dev.ebb.host.tokens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy.Granularity;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class BudgetRulesTest {

  private static final TokenBudget UNIFORM = new BudgetRules.Uniform();

  @ParameterizedTest
  @CsvSource({"10, 0.9, 0", "100, 0.9, 9", "64, 0.75, 16", "37, 0.5, 18", "1, 0.1, 0", "5, 0, 5"})
  void keepsWhatARatioLeaves(int length, double removed, int kept) {
    assertThat(keep(UNIFORM, KeepTarget.ofShare(1.0 - removed), length, 0, 0, 1)).isEqualTo(kept);
  }

  @Test
  void aShareKeepsAtLeastTheProtectedAndASizeDoesNot() {
    assertThat(keep(UNIFORM, KeepTarget.ofShare(0.1), 100, 30, 0, 1)).isEqualTo(30);
    assertThat(keep(UNIFORM, KeepTarget.ofSize(10), 100, 30, 0, 1)).isEqualTo(10);
    assertThat(keep(UNIFORM, KeepTarget.ofSize(10), 7, 3, 0, 1)).isEqualTo(7);
  }

  /** By hand: 256 tokens, 8 protected, half stay: the top is 256 - 8, the bottom 2 * 128 - 248. */
  @Test
  void aPyramidFallsFromLowerToUpperLayersAndKeepsTheMean() {
    TokenBudget pyramid = new BudgetRules.Pyramid(20);
    int[] layers =
        IntStream.range(0, 5)
            .map(layer -> keep(pyramid, KeepTarget.ofShare(0.5), 256, 8, layer, 5))
            .toArray();
    assertThat(layers).containsExactly(248, 188, 128, 68, 8);
  }

  @Test
  void aPyramidIsFlatWhereItsTopWouldNotFitOrThereIsOneLayer() {
    TokenBudget pyramid = new BudgetRules.Pyramid(20);
    assertThat(keep(pyramid, KeepTarget.ofShare(0.25), 64, 8, 3, 8)).isEqualTo(16);
    assertThat(keep(pyramid, KeepTarget.ofShare(0.5), 256, 8, 0, 1)).isEqualTo(128);
  }

  @Test
  void adaKeepsTheMeanAndGuaranteesAFloor() {
    TokenBudget ada = BudgetRules.of("ada").orElseThrow();
    assertThat(keep(ada, KeepTarget.ofShare(1.0 - 0.75), 64, 8, 0, 1)).isEqualTo(16);
    assertThat(ada.floor(16)).isEqualTo(3);
    assertThat(UNIFORM.floor(16)).isEqualTo(16);
  }

  @Test
  void refusesAPolicyTooCoarseForIt() {
    assertThatThrownBy(() -> requireFits("pyramid", "sliding-window", Granularity.SEQUENCE))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'pyramid' needs a policy with one kept set per layer")
        .hasMessageContaining("'sliding-window' keeps one per sequence; use 'uniform'");
    assertThatThrownBy(() -> requireFits("ada", "tova", Granularity.LAYER))
        .hasMessageContaining("'tova' keeps one per layer");
    requireFits("pyramid", "tova", Granularity.LAYER);
    requireFits("ada", "snapkv", Granularity.KV_HEAD);
    requireFits("uniform", "sliding-window", Granularity.SEQUENCE);
  }

  @Test
  void refusesNonsense() {
    assertThat(BudgetRules.of("even")).isEmpty();
    assertThatThrownBy(() -> new BudgetRules.Pyramid(0.5)).hasMessageContaining("'0.5'");
    assertThatThrownBy(() -> new BudgetRules.Ada(Double.NaN)).hasMessageContaining("'NaN'");
    assertThatThrownBy(() -> KeepTarget.ofSize(0)).hasMessageContaining("'0'");
    assertThatThrownBy(() -> KeepTarget.ofShare(1.5)).hasMessageContaining("'1.5'");
  }

  @Test
  void knowsTheMethodsThatAreAPolicyWithABudget() {
    assertThat(TokenAlias.names())
        .containsExactly("ada-expected-attention", "adakv", "cake", "pyramidkv");
    assertThat(TokenAlias.resolve("pyramidkv", "uniform"))
        .isEqualTo(new TokenAlias("snapkv", "pyramid"));
    assertThat(TokenAlias.resolve("adakv", "uniform")).isEqualTo(new TokenAlias("snapkv", "ada"));
    assertThat(TokenAlias.resolve("ada-expected-attention", "uniform"))
        .isEqualTo(new TokenAlias("expected-attention", "ada"));
    assertThat(TokenAlias.resolve("keydiff", "ada")).isEqualTo(new TokenAlias("keydiff", "ada"));
  }

  @Test
  void roundsAsTheReferenceDoes() throws IOException {
    JsonNode expected = Golden.read("budget_rounding.json").get("expected");
    for (JsonNode row : expected.get("rows[S,ratio,n_kept]")) {
      assertThat(
              keep(
                  UNIFORM,
                  KeepTarget.ofShare(1.0 - row.get(1).asDouble()),
                  row.get(0).asInt(),
                  0,
                  0,
                  1))
          .as(row.toString())
          .isEqualTo(row.get(2).asInt());
    }
    for (JsonNode row : expected.get("decoding_target_ratio[S,target,ratio,n_kept]")) {
      assertThat(keep(UNIFORM, KeepTarget.ofSize(row.get(1).asInt()), row.get(0).asInt(), 0, 0, 1))
          .isEqualTo(row.get(3).asInt());
    }
  }

  @Test
  void sharesLayersOutAsTheReferenceDoes() throws IOException {
    for (JsonNode row : Golden.read("pyramidkv_budgets.json").get("expected").get("kvpress")) {
      int layers = row.get("layers").asInt();
      int length = row.get("S").asInt();
      double kept = length * (1.0 - row.get("compression_ratio").asDouble());
      TokenBudget pyramid = new BudgetRules.Pyramid(row.get("beta").asDouble());
      int window = row.get("window").asInt();
      assertThat(
              IntStream.range(0, layers)
                  .map(l -> pyramid.share(kept, length, window, l, preferences(layers))))
          .as(row.toString())
          .containsExactly(
              IntStream.of(Golden.ints(row.get("n_kept_per_layer")))
                  .boxed()
                  .toArray(Integer[]::new));
    }
  }

  @Test
  void sharesHeadsOutAsTheReferenceDoes() throws IOException {
    JsonNode golden = Golden.read("adakv_kvpress_snapkv.json");
    int heads = golden.get("params").get("Hkv").asInt();
    int length = golden.get("params").get("S").asInt();
    int window = golden.get("params").get("window_size").asInt();
    double[] exact = Golden.doubles(golden.get("expected").get("scores"));
    float[] scores = new float[exact.length];
    for (int i = 0; i < exact.length; i++) {
      scores[i] = (float) exact[i];
    }
    BitSet mask = new BitSet();
    mask.set(length - window, length);
    for (JsonNode row : golden.get("expected").get("cases")) {
      TokenBudget ada = new BudgetRules.Ada(row.get("alpha_safeguard").asDouble());
      KeepTarget target = KeepTarget.ofShare(1.0 - row.get("compression_ratio").asDouble());
      int keep = keep(ada, target, length, window, 0, 1);
      KeptTokens kept = new KeptTokens();
      new TokenSelection().select(scores, heads, length, mask, keep, ada.floor(keep), kept);
      for (int head = 0; head < heads; head++) {
        assertThat(kept.tokens(head)).containsExactly(Golden.ints(row.get("kept").get(head)));
      }
    }
  }

  private static int keep(
      TokenBudget budget, KeepTarget target, int length, int guarded, int layer, int layers) {
    return target.keep(budget, length, guarded, layer, preferences(layers));
  }

  private static double[] preferences(int layers) {
    double[] preferences = new double[layers];
    Arrays.fill(preferences, 1);
    return preferences;
  }

  private static void requireFits(String name, String policy, Granularity granularity) {
    BudgetRules.requireFits(name, BudgetRules.of(name).orElseThrow(), policy, granularity);
  }
}
