package dev.ebb.plugin.snapkv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.ebb.spi.PolicyPlugin;
import dev.ebb.spi.Rotation;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.TokenBudgetProvider;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenPolicyProvider;
import dev.ebb.testkit.TestTokenView;
import java.util.Arrays;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScoresTest {

  /** 1e-5 relative. */
  private static final double PERCENT = 1e-3;

  @ParameterizedTest
  @CsvSource({
    // query heads, KV heads, length, window, kernel
    "4, 2, 40, 8, 5",
    "4, 1, 37, 8, 7",
    "2, 2, 12, 8, 5",
    "2, 2, 9, 8, 5",
    "3, 3, 20, 1, 1",
    "8, 2, 30, 4, 25",
    "4, 4, 5, 8, 5",
    "1, 1, 1, 8, 5",
  })
  void snapKvAveragesTheWindowsAttentionOverNeighboursAndGroup(
      int heads, int kvHeads, int n, int window, int kernel) {
    SplittableRandom random = new SplittableRandom(n);
    int d = 8;
    double[][][] a =
        Naive.attention(
            Naive.gaussian(random, heads * n * d),
            Naive.gaussian(random, kvHeads * n * d),
            heads,
            kvHeads,
            n,
            d);
    int w = Math.min(window, n);
    TestTokenView view =
        new TestTokenView(1, kvHeads, heads, d, n)
            .with(Signal.WINDOW_ATTENTION, 0, Naive.window(a, w));
    Scored scored =
        Scored.by(
            Scored.create(
                SnapKvPolicies.SNAPKV, Map.of("window", "" + window, "kernel", "" + kernel)),
            view);
    double[][] expected = Naive.snapKv(a, kvHeads, w, kernel);
    for (int head = 0; head < kvHeads; head++) {
      for (int s = 0; s < n - w; s++) {
        assertThat((double) scored.scores()[head * n + s])
            .isCloseTo(expected[head][s], withinPercentage(PERCENT));
      }
    }
    assertThat(scored.mask().stream().boxed()).containsExactlyElementsOf(range(n - w, n));
  }

  @Test
  void snapKvRefusesAKernelWithoutAMiddle() {
    assertThatThrownBy(() -> Scored.create(SnapKvPolicies.SNAPKV, Map.of("kernel", "4")))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("'4' must be odd");
  }

  @Test
  void h2oTakesTheAttentionReceivedAndProtectsTheRecent() {
    float[] received = {3, 1, 4, 1, 5, 9, 2, 6};
    Scored scored =
        Scored.by(
            Scored.create(SnapKvPolicies.H2O, Map.of("recent", "2")),
            new TestTokenView(1, 2, 4, 8, 4).with(Signal.ACCUMULATED_ATTENTION, 0, received));
    assertThat(scored.scores()).containsExactly(received);
    assertThat(scored.kept(0, 3)).containsExactly(0, 2, 3);
    assertThat(scored.kept(1, 3)).containsExactly(1, 2, 3);
  }

  @Test
  void tovaAveragesTheNewestQueryOverAllHeads() {
    Scored scored =
        Scored.by(
            Scored.create(SnapKvPolicies.TOVA, Map.of()),
            new TestTokenView(1, 1, 2, 8, 4)
                .with(Signal.WINDOW_ATTENTION, 0, 0.5f, 0.25f, 0.25f, 0, 0, 0.25f, 0.5f, 0.25f));
    assertThat(scored.scores()).containsExactly(0.25f, 0.25f, 0.375f, 0.125f);
    assertThat(scored.kept(0, 2)).containsExactly(2, 3);
  }

  @Test
  void knormKeepsSmallKeys() {
    Scored scored =
        Scored.by(
            Scored.create(SnapKvPolicies.KNORM, Map.of("protected-prefix", "1", "window", "1")),
            new TestTokenView(1, 1, 1, 8, 5).with(Signal.KEY_NORM, 0, 9, 3, 1, 2, 8));
    assertThat(scored.scores()).containsExactly(-9, -3, -1, -2, -8);
    assertThat(scored.kept(0, 4)).containsExactly(0, 2, 3, 4);
  }

  @Test
  void keyDiffKeepsKeysUnlikeTheOthers() {
    int kvHeads = 3;
    int n = 25;
    int d = 8;
    double[] keys = Naive.gaussian(new SplittableRandom(5), kvHeads * n * d);
    Scored scored =
        Scored.by(
            Scored.create(SnapKvPolicies.KEYDIFF, Map.of()),
            new TestTokenView(1, kvHeads, 2 * kvHeads, d, n)
                .with(Signal.KEYS, 0, Naive.floats(keys))
                .with(Signal.KEY_MEAN, 0, Naive.floats(Naive.anchors(keys, kvHeads, n, d))));
    double[] expected = Naive.keyDiff(keys, kvHeads, n, d);
    for (int i = 0; i < expected.length; i++) {
      assertThat((double) scored.scores()[i]).isCloseTo(expected[i], within(1e-5));
    }
  }

  @Test
  void keyDiffGivesAKeyOfLengthZeroTheMiddle() {
    Scored scored =
        Scored.by(
            Scored.create(SnapKvPolicies.KEYDIFF, Map.of()),
            new TestTokenView(1, 1, 1, 2, 2)
                .with(Signal.KEYS, 0, 0, 0, 1, 0)
                .with(Signal.KEY_MEAN, 0, 0.5f, 0));
    assertThat(scored.scores()).containsExactly(0, -1);
  }

  @ParameterizedTest
  @CsvSource({
    // query heads, KV heads, dimensions, length, position, pairs, positions, sinks, eps, cov, norms
    "4, 2, 16, 70, 70, 8, 512, 4, 0, true, true",
    "4, 2, 16, 70, 900, 4, 64, 4, 0.02, true, true",
    "2, 1, 13, 200, 200, 5, 1, 0, 0, true, false",
    "6, 2, 8, 5, 5, 4, 512, 4, 0, true, true",
    "3, 3, 10, 130, 4000, 0, 512, 7, 0, true, true",
    "4, 1, 24, 65, 65, 12, 100000, 4, 0.5, false, true",
  })
  void expectedAttentionIsWhatNormallyDistributedQueriesWouldPay(
      int heads,
      int kvHeads,
      int d,
      int n,
      long position,
      int pairs,
      int positions,
      int sinks,
      double epsilon,
      boolean covariance,
      boolean norms) {
    SplittableRandom random = new SplittableRandom(n);
    Rotation rotation = new HalfSplit(pairs);
    double[] q = Naive.gaussian(random, heads * n * d);
    double[] k = Naive.gaussian(random, kvHeads * n * d);
    double[] v = random.doubles((long) kvHeads * n, 0.1, 2).toArray();
    double[] means = Naive.means(q, heads, n, d, sinks);
    double[] covariances = Naive.covariances(q, heads, n, d, sinks);
    TestTokenView view =
        new TestTokenView(1, kvHeads, heads, d, n)
            .position(position)
            .with(rotation)
            .with(Signal.KEYS, 0, Naive.floats(k))
            .with(Signal.QUERY_MEAN, 0, Naive.floats(means));
    if (covariance) {
      view.with(Signal.QUERY_COVARIANCE, 0, Naive.floats(covariances));
    }
    if (norms) {
      view.with(Signal.VALUE_NORM, 0, Naive.floats(v));
    }
    TokenPolicy policy =
        Scored.create(
            SnapKvPolicies.EXPECTED_ATTENTION,
            Map.of(
                "n-future-positions", "" + positions,
                "sinks", "" + sinks,
                "epsilon", "" + epsilon,
                "use-covariance", "" + covariance,
                "use-value-norms", "" + norms));
    Scored scored = Scored.by(policy, view);

    double[] expected = new double[kvHeads * n];
    double[][] turned = Naive.meanRotation(rotation, position, positions, d);
    for (int h = 0; h < heads; h++) {
      int kv = h / (heads / kvHeads);
      double[] shares =
          Naive.expectedShares(
              Arrays.copyOfRange(means, h * d, (h + 1) * d),
              covariance
                  ? Arrays.copyOfRange(covariances, h * d * d, (h + 1) * d * d)
                  : new double[d * d],
              turned,
              Arrays.copyOfRange(k, kv * n * d, (kv + 1) * n * d),
              sinks);
      for (int s = sinks; s < n; s++) {
        expected[kv * n + s] += shares[s] * kvHeads / heads;
      }
    }
    for (int i = 0; i < expected.length; i++) {
      if (i % n >= sinks) {
        double score = norms ? (expected[i] + epsilon) * v[i] : expected[i];
        assertThat((double) scored.scores()[i]).isCloseTo(score, withinPercentage(PERCENT));
      }
    }
    assertThat(policy.skippedQueries()).isEqualTo(sinks);
    assertThat(scored.mask().stream().boxed()).containsExactlyElementsOf(range(0, sinks));
  }

  @Test
  void expectedAttentionNeedsOnlyTheConfiguredSignals() {
    TokenPolicy bare =
        Scored.create(
            SnapKvPolicies.EXPECTED_ATTENTION,
            Map.of("use-covariance", "false", "use-value-norms", "false"));
    assertThat(bare.signals()).containsExactlyInAnyOrder(Signal.KEYS, Signal.QUERY_MEAN);
    assertThat(Scored.create(SnapKvPolicies.EXPECTED_ATTENTION, Map.of()).signals())
        .containsExactlyInAnyOrder(
            Signal.KEYS, Signal.QUERY_MEAN, Signal.QUERY_COVARIANCE, Signal.VALUE_NORM);
  }

  /** A rotation of some pairs, one of which is not rotated. */
  private record HalfSplit(int pairs) implements Rotation {
    @Override
    public double frequency(int pair) {
      return pair == 2 ? 0 : Math.pow(10_000, -(double) pair / pairs);
    }

    @Override
    public int first(int pair) {
      return pair;
    }

    @Override
    public int second(int pair) {
      return pair + pairs;
    }
  }

  @Test
  void randomFollowsFromTheSeedAndDiffersByHeadAndLayer() {
    TestTokenView view = new TestTokenView(2, 2, 2, 8, 500);
    TokenPolicy policy = Scored.create(SnapKvPolicies.RANDOM, Map.of());
    float[] first = Scored.by(policy, view).scores();
    assertThat(Scored.by(Scored.create(SnapKvPolicies.RANDOM, Map.of()), view).scores())
        .containsExactly(first);
    float[] upper = new float[1_000];
    policy.score(view, 1, upper);
    assertThat(IntStream.range(0, 500).filter(i -> first[i] == first[500 + i]).count()).isZero();
    assertThat(IntStream.range(0, 1_000).filter(i -> first[i] == upper[i]).count()).isZero();
    assertThat(IntStream.range(0, 1_000).mapToDouble(i -> first[i]).average().orElseThrow())
        .isBetween(0.45, 0.55);
  }

  @Test
  void areFoundByTheServiceLoader() {
    PolicyPlugin plugin = ServiceLoader.load(PolicyPlugin.class).iterator().next();

    assertThat(plugin.tokenPolicies())
        .extracting(TokenPolicyProvider::name)
        .containsExactlyInAnyOrder(
            "sliding-window",
            "snapkv",
            "h2o",
            "tova",
            "knorm",
            "keydiff",
            "expected-attention",
            "lagkv",
            "cake",
            "random");
    assertThat(plugin.tokenBudgets())
        .extracting(TokenBudgetProvider::name)
        .containsExactly("cake-layers");
  }

  private static Iterable<Integer> range(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }
}
