package dev.ebb.plugin.snapkv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.spi.Rotation;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.testkit.TestTokenView;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The policies against what the field's own implementations say. */
class GoldenTest {

  private static final Map<String, String> NO_ENDS = Map.of("protected-prefix", "0", "window", "0");

  @ParameterizedTest
  @ValueSource(
      strings = {"snapkv_kvpress_gqa4q2kv_s64_keep50", "snapkv_kvpress_mqa4q1kv_s61_keep25"})
  void snapKv(String file) throws IOException {
    JsonNode golden = Golden.read(file + ".json");
    Shape shape = Shape.of(golden);
    int window = golden.at("/params/window_size").asInt();
    double[] given = Golden.doubles(golden.at("/inputs/attn_window"));
    double[][][] computed =
        Naive.attention(
            Golden.doubles(golden.at("/inputs/q")),
            Golden.doubles(golden.at("/inputs/k")),
            shape.heads,
            shape.kvHeads,
            shape.length,
            shape.size);
    for (float[] rows : new float[][] {Naive.floats(given), Naive.window(computed, window)}) {
      check(golden, snapKv(golden), shape.view().with(Signal.WINDOW_ATTENTION, 0, rows), window);
    }
  }

  @Test
  void snapKvWithRotatedKeys() throws IOException {
    JsonNode golden = Golden.read("snapkv_kvpress_rope_s64_keep50.json");
    Shape shape = Shape.of(golden);
    double[] frequencies = Golden.doubles(golden.at("/inputs/inv_freq"));
    double[] q = rotate(Golden.doubles(golden.at("/inputs/q_pre_rope")), shape, frequencies);
    double[] k = Golden.doubles(golden.at("/inputs/k_post_rope"));
    double[][][] a = Naive.attention(q, k, shape.heads, shape.kvHeads, shape.length, shape.size);
    int window = golden.at("/params/window_size").asInt();
    check(
        golden,
        snapKv(golden),
        shape.view().with(Signal.WINDOW_ATTENTION, 0, Naive.window(a, window)),
        window);
  }

  @Test
  void tovaAfterPrefill() throws IOException {
    JsonNode golden = Golden.read("tova.json");
    Shape shape = Shape.of(golden);
    float[] row = Naive.floats(Golden.doubles(golden.at("/inputs/attn_last_row")));
    Scored scored =
        Scored.by(
            Scored.create(SnapKvPolicies.TOVA, Map.of()),
            shape.view().with(Signal.WINDOW_ATTENTION, 0, row));
    double[] expected = Golden.doubles(golden.at("/expected/scores"));
    for (int i = 0; i < shape.length - 1; i++) {
      assertThat((double) scored.scores()[i]).isCloseTo(expected[i], within(1e-5 * expected[i]));
    }
    int keep = golden.at("/params/n_kept").asInt();
    for (JsonNode kept : golden.at("/expected/kept")) {
      assertThat(scored.kept(0, keep)).containsExactly(Golden.ints(kept));
    }
  }

  @Test
  void tovaStepByStep() throws IOException {
    JsonNode golden = Golden.read("tova.json");
    TokenPolicy tova = Scored.create(SnapKvPolicies.TOVA, Map.of());
    int keep = golden.at("/params/decode_cache_size").asInt();
    for (JsonNode step : golden.at("/expected/decode_steps")) {
      int[] before = Golden.ints(step.get("positions_before"));
      float[] row = Naive.floats(Golden.doubles(step.get("attn_last_row")));
      Shape shape = Shape.of(golden).of(before.length);
      Scored scored = Scored.by(tova, shape.view().with(Signal.WINDOW_ATTENTION, 0, row));
      assertThat(Arrays.stream(scored.kept(0, keep)).map(i -> before[i]))
          .containsExactly(boxed(Golden.ints(step.get("kept_positions"))));
    }
  }

  @Test
  void h2oStepByStep() throws IOException {
    JsonNode golden = Golden.read("h2o_layerwise_hh8_recent8_s64.json");
    int heads = golden.at("/params/H").asInt();
    int length = golden.at("/params/S").asInt();
    int recent = golden.at("/params/recent_size").asInt();
    int keep = golden.at("/params/hh_size").asInt() + recent;
    TokenPolicy h2o = Scored.create(SnapKvPolicies.H2O, Map.of("recent", "" + recent));
    double[] attention = Golden.doubles(golden.at("/inputs/attn_prefill"));
    double[][] received = new double[heads][length];
    for (int i = 0; i < attention.length; i++) {
      received[i / length / length][i % length] += attention[i];
    }
    int[][] positions = new int[heads][];
    Arrays.setAll(positions, head -> IntStream.range(0, length).toArray());
    int next = length;
    for (JsonNode step : golden.at("/expected/steps")) {
      if (step.has("attn_row")) {
        double[] row = Golden.doubles(step.get("attn_row"));
        for (int head = 0; head < heads; head++) {
          received[head] = Arrays.copyOf(received[head], keep + 1);
          positions[head] = Arrays.copyOf(positions[head], keep + 1);
          positions[head][keep] = next;
          for (int i = 0; i <= keep; i++) {
            received[head][i] += row[head * (keep + 1) + i];
          }
        }
        next++;
      }
      int now = received[0].length;
      float[] signal =
          Naive.floats(Arrays.stream(received).flatMapToDouble(Arrays::stream).toArray());
      Scored scored =
          Scored.by(
              h2o,
              new TestTokenView(1, heads, heads, 16, now)
                  .with(Signal.ACCUMULATED_ATTENTION, 0, signal));
      double[] after = Golden.doubles(step.get("acc_scores_after"));
      for (int head = 0; head < heads; head++) {
        int[] kept = scored.kept(head, keep);
        double[] old = received[head];
        int[] before = positions[head];
        positions[head] = Arrays.stream(kept).map(i -> before[i]).toArray();
        assertThat(positions[head]).containsExactly(Golden.ints(step.get("kept").get(head)));
        received[head] = Arrays.stream(kept).mapToDouble(i -> old[i]).toArray();
        for (int i = 0; i < keep; i++) {
          assertThat(received[head][i])
              .isCloseTo(after[head * keep + i], within(1e-5 * after[head * keep + i]));
        }
      }
    }
  }

  @Test
  void knorm() throws IOException {
    JsonNode golden = Golden.read("knorm.json");
    Shape shape = Shape.of(golden);
    double[] keys = Golden.doubles(golden.at("/inputs/k"));
    double[] norms = new double[shape.kvHeads * shape.length];
    for (int i = 0; i < norms.length; i++) {
      norms[i] = Naive.norm(keys, i * shape.size, shape.size);
    }
    checkKeys(
        golden,
        Scored.by(
            Scored.create(SnapKvPolicies.KNORM, NO_ENDS),
            shape.view().with(Signal.KEY_NORM, 0, Naive.floats(norms))));
  }

  @Test
  void keyDiff() throws IOException {
    JsonNode golden = Golden.read("keydiff.json");
    Shape shape = Shape.of(golden);
    double[] keys = Golden.doubles(golden.at("/inputs/k"));
    double[] anchors = Naive.anchors(keys, shape.kvHeads, shape.length, shape.size);
    checkKeys(
        golden,
        Scored.by(
            Scored.create(SnapKvPolicies.KEYDIFF, NO_ENDS),
            shape
                .view()
                .with(Signal.KEYS, 0, Naive.floats(keys))
                .with(Signal.KEY_MEAN, 0, Naive.floats(anchors))));
  }

  @Test
  void expectedAttention() throws IOException {
    checkExpected(Golden.read("expected_attention.json"));
  }

  /** One KV head of the same, which is kept with the test. */
  @Test
  void expectedAttentionOfOneHead() throws IOException {
    checkExpected(Golden.kept("expected_attention_head0.json"));
  }

  private static void checkExpected(JsonNode golden) {
    Shape shape = Shape.of(golden);
    int sinks = golden.at("/params/n_sink").asInt();
    double[] q = Golden.doubles(golden.at("/inputs/q_pre_rope"));
    double[] v = Golden.doubles(golden.at("/inputs/v"));
    double[] norms = new double[shape.kvHeads * shape.length];
    Arrays.setAll(norms, i -> Naive.norm(v, i * shape.size, shape.size));
    double[] means = Naive.means(q, shape.heads, shape.length, shape.size, sinks);
    double[] covariances = Naive.covariances(q, shape.heads, shape.length, shape.size, sinks);
    List<Double> frequencies =
        Arrays.stream(Golden.doubles(golden.at("/inputs/inv_freq"))).boxed().toList();
    TestTokenView view =
        shape
            .view()
            .with(new InverseFrequencies(frequencies))
            .with(Signal.KEYS, 0, Naive.floats(Golden.doubles(golden.at("/inputs/k_post_rope"))))
            .with(Signal.VALUE_NORM, 0, Naive.floats(norms))
            .with(Signal.QUERY_MEAN, 0, Naive.floats(means))
            .with(Signal.QUERY_COVARIANCE, 0, Naive.floats(covariances));
    for (JsonNode one : golden.at("/expected/cases")) {
      Scored scored =
          Scored.by(
              Scored.create(
                  SnapKvPolicies.EXPECTED_ATTENTION,
                  Map.of(
                      "n-future-positions", one.get("n_future_positions").asString(),
                      "use-covariance", one.get("use_covariance").asString(),
                      "use-value-norms", one.get("use_vnorm").asString(),
                      "epsilon", one.get("epsilon").asString(),
                      "sinks", "" + sinks)),
              view);
      double[] expected = Golden.doubles(one.get("scores"));
      for (int i = 0; i < expected.length; i++) {
        if (i % shape.length >= sinks) {
          assertThat((double) scored.scores()[i])
              .isCloseTo(expected[i], within(1e-5 * expected[i]));
        }
      }
      double removed = golden.at("/params/compression_ratio").asDouble();
      for (int head = 0; head < shape.kvHeads; head++) {
        assertThat(one.at("/boundary_ties").get(head).size()).isZero();
        assertThat(scored.kept(head, (int) (shape.length * (1 - removed))))
            .containsExactly(Golden.ints(one.get("kept").get(head)));
      }
    }
  }

  /** The first half of the dimensions is paired with the second. */
  private record InverseFrequencies(List<Double> radians) implements Rotation {
    @Override
    public int pairs() {
      return radians.size();
    }

    @Override
    public double frequency(int pair) {
      return radians.get(pair);
    }

    @Override
    public int first(int pair) {
      return pair;
    }

    @Override
    public int second(int pair) {
      return pair + radians.size();
    }
  }

  @Test
  void slidingWindow() throws IOException {
    for (JsonNode row : Golden.read("streaming_llm.json").at("/expected/kvpress_prefill")) {
      int sinks = row.get("n_sink").asInt();
      int keep = row.get("n_kept").asInt();
      if (keep > sinks) {
        checkWindow(row.get("S").asInt(), sinks, keep - sinks, row.get("kept"));
      }
    }
    for (JsonNode row : Golden.read("streaming_llm.json").at("/expected/start_recent_cache")) {
      checkWindow(
          row.get("S").asInt(),
          row.get("start").asInt(),
          row.get("recent").asInt(),
          row.get("kept"));
    }
  }

  private static void checkWindow(int length, int sinks, int window, JsonNode kept) {
    Scored scored =
        Scored.by(
            Scored.create(
                SnapKvPolicies.SLIDING_WINDOW,
                Map.of("protected-prefix", "" + sinks, "window", "" + window)),
            new TestTokenView(1, 1, 1, 8, length));
    assertThat(scored.kept(0, sinks + window)).containsExactly(Golden.ints(kept));
  }

  private static TokenPolicy snapKv(JsonNode golden) {
    return Scored.create(
        SnapKvPolicies.SNAPKV,
        Map.of(
            "window", golden.at("/params/window_size").asString(),
            "kernel", golden.at("/params/kernel_size").asString()));
  }

  private static void check(JsonNode golden, TokenPolicy policy, TestTokenView view, int window) {
    Scored scored = Scored.by(policy, view);
    double[] expected = Golden.doubles(golden.at("/expected/scores"));
    for (int i = 0; i < expected.length; i++) {
      if (i % view.length() < view.length() - window) {
        assertThat((double) scored.scores()[i]).isCloseTo(expected[i], within(1e-5 * expected[i]));
      }
    }
    for (int head = 0; head < view.kvHeads(); head++) {
      assertThat(golden.at("/expected/boundary_ties").get(head).size()).isZero();
      assertThat(scored.kept(head, golden.at("/params/n_kept").asInt()))
          .containsExactly(Golden.ints(golden.at("/expected/kept").get(head)));
    }
  }

  private static void checkKeys(JsonNode golden, Scored scored) {
    double[] expected = Golden.doubles(golden.at("/expected/scores"));
    for (int i = 0; i < expected.length; i++) {
      double tolerance = 1e-5 * Math.max(1, Math.abs(expected[i]));
      assertThat((double) scored.scores()[i]).isCloseTo(expected[i], within(tolerance));
    }
    for (String ratio : new String[] {"ratio_0.75", "ratio_0.5"}) {
      JsonNode at = golden.get("expected").get(ratio);
      for (int head = 0; head < at.get("kept").size(); head++) {
        assertThat(scored.kept(head, at.get("n_kept").asInt()))
            .containsExactly(Golden.ints(at.get("kept").get(head)));
      }
    }
  }

  /**
   * Turns vectors to positions 0, 1, ..., the first half of the dimensions paired with the second.
   */
  private static double[] rotate(double[] x, Shape shape, double[] frequencies) {
    int d = shape.size;
    double[] turned = new double[x.length];
    for (int i = 0; i < x.length; i += d) {
      int position = i / d % shape.length;
      for (int j = 0; j < d / 2; j++) {
        double cos = Math.cos(position * frequencies[j]);
        double sin = Math.sin(position * frequencies[j]);
        turned[i + j] = x[i + j] * cos - x[i + d / 2 + j] * sin;
        turned[i + d / 2 + j] = x[i + d / 2 + j] * cos + x[i + j] * sin;
      }
    }
    return turned;
  }

  private static Integer[] boxed(int[] values) {
    return Arrays.stream(values).boxed().toArray(Integer[]::new);
  }

  private record Shape(int heads, int kvHeads, int length, int size) {

    static Shape of(JsonNode golden) {
      JsonNode params = golden.get("params");
      int kvHeads = params.get("Hkv").asInt();
      return new Shape(
          params.path("Hq").asInt(kvHeads),
          kvHeads,
          params.get("S").asInt(),
          params.get("d").asInt());
    }

    Shape of(int otherLength) {
      return new Shape(heads, kvHeads, otherLength, size);
    }

    TestTokenView view() {
      return new TestTokenView(1, kvHeads, heads, size, length);
    }
  }
}
