package dev.ebb.testkit;

import dev.ebb.spi.Rotation;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;

/** Sequences of many shapes with random or vanishing signals. */
final class TokenViews {

  private static final int[] LENGTHS = {0, 1, 2, 17, 300, 2_000};

  private TokenViews() {}

  static List<TestTokenView> all(TokenPolicy policy, long seed) {
    Set<Signal> signals = policy.signals();
    return all(
        signals,
        Calls.ask("window()", policy::window),
        Calls.ask("stateSize()", policy::stateSize),
        seed);
  }

  static List<TestTokenView> all(Set<Signal> signals, int window, int stateSize, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<TestTokenView> views = new ArrayList<>();
    for (int length : LENGTHS) {
      views.add(
          filled(new TestTokenView(1, 1, 1, 4, length), signals, window, stateSize, random, 0));
      views.add(
          filled(new TestTokenView(3, 2, 8, 16, length), signals, window, stateSize, random, 1));
      views.add(
          filled(new TestTokenView(2, 1, 4, 8, length), signals, window, stateSize, random, 10));
      views.add(
          filled(
              new TestTokenView(2, 2, 2, 8, length).position(10L * length),
              signals,
              window,
              stateSize,
              random,
              1e-6));
    }
    return views;
  }

  private static TestTokenView filled(
      TestTokenView view,
      Set<Signal> signals,
      int window,
      int stateSize,
      SplittableRandom random,
      double scale) {
    view.with(rotation(view.headDimension()));
    for (int lane = 0; lane < view.layers() * view.kvHeads(); lane++) {
      int layer = lane / view.kvHeads();
      view.positions(layer, lane % view.kvHeads(), positions(view, random));
    }
    for (Signal signal : signals) {
      for (int layer = 0; layer < view.layers(); layer++) {
        view.with(signal, layer, values(view, signal, window, stateSize, random, scale));
      }
    }
    return view;
  }

  private static float[] values(
      TestTokenView view,
      Signal signal,
      int window,
      int stateSize,
      SplittableRandom random,
      double scale) {
    return switch (signal) {
      case WINDOW_ATTENTION -> attention(view, Math.min(window, view.length()), random);
      case ACCUMULATED_ATTENTION, KEY_NORM, VALUE_NORM ->
          random(view.kvHeads() * view.length(), random, 0, scale);
      case STATE -> random(view.kvHeads() * view.length() * stateSize, random, 0, scale);
      case KEYS, VALUES ->
          random(view.kvHeads() * view.length() * view.headDimension(), random, -scale, scale);
      case KEY_MEAN -> random(view.kvHeads() * view.headDimension(), random, -scale, scale);
      case QUERY_MEAN -> random(view.queryHeads() * view.headDimension(), random, -scale, scale);
      case QUERY_COVARIANCE -> covariance(view, random, scale);
    };
  }

  /**
   * Returns covariances: each head's is the outer product of a vector with itself, as of two
   * queries.
   */
  private static float[] covariance(TestTokenView view, SplittableRandom random, double scale) {
    int size = view.headDimension();
    float[] vectors = random(view.queryHeads() * size, random, -scale, scale);
    float[] out = new float[view.queryHeads() * size * size];
    for (int i = 0; i < out.length; i++) {
      int head = i / size / size;
      out[i] = vectors[head * size + i / size % size] * vectors[head * size + i % size];
    }
    return out;
  }

  /** Returns a rotation that pairs dimension i with the one a quarter further, for half of them. */
  private static Rotation rotation(int headDimension) {
    return new Rotation() {
      @Override
      public int pairs() {
        return headDimension / 4;
      }

      @Override
      public double frequency(int pair) {
        return Math.pow(100, -(double) pair / pairs());
      }

      @Override
      public int first(int pair) {
        return Objects.checkIndex(pair, pairs());
      }

      @Override
      public int second(int pair) {
        return Objects.checkIndex(pair, pairs()) + pairs();
      }
    };
  }

  private static float[] random(int count, SplittableRandom random, double min, double max) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) (min + (max - min) * random.nextDouble());
    }
    return values;
  }

  /** Returns positions with gaps where tokens were dropped. */
  private static long[] positions(TestTokenView view, SplittableRandom random) {
    long[] positions = new long[view.length()];
    long dropped = view.position() - view.length();
    for (int token = view.length() - 1; token >= 0; token--) {
      dropped = random.nextBoolean() ? dropped : random.nextLong(dropped + 1);
      positions[token] = token + dropped;
    }
    return positions;
  }

  /** Returns rows that sum to 1 over the tokens up to the query's own. */
  private static float[] attention(TestTokenView view, int window, SplittableRandom random) {
    float[] rows = new float[view.queryHeads() * window * view.length()];
    for (int row = 0; row < view.queryHeads() * window; row++) {
      int seen = view.length() - window + row % window + 1;
      double[] weights = random.doubles(seen).map(x -> x * x * x + 1e-9).toArray();
      double sum = 0;
      for (double weight : weights) {
        sum += weight;
      }
      for (int i = 0; i < seen; i++) {
        rows[row * view.length() + i] = (float) (weights[i] / sum);
      }
    }
    return rows;
  }
}
