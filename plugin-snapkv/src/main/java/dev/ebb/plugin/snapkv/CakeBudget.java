package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy.Granularity;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Set;

/**
 * The layer preferences of CAKE, of Qin et al., <a href="https://arxiv.org/abs/2503.12491">CAKE:
 * Cascading and Adaptive KV Cache Eviction with Layer Preferences</a> (2025).
 *
 * <p>{@code A} is the attention of the last queries to the tokens before them. A layer's preference
 * is {@code H^(1/tau1) V^(1/tau2)}: {@code H = -sum A ln A} says how widely attention is dispersed,
 * {@code V}, the sum over tokens of the variance over queries, how much it shifts. Tokens beside
 * the protected ones are divided in proportion. What a layer has no tokens for is divided evenly
 * among the others, lower layers first.
 */
final class CakeBudget implements TokenBudget {

  /** Keeps the logarithm of 0 finite, as in the authors' code. */
  private static final double TINY = 1e-10;

  private final int window;
  private final double tau1;
  private final double tau2;

  CakeBudget(int window, double tau1, double tau2) {
    this.window = window;
    this.tau1 = tau1;
    this.tau2 = tau2;
  }

  @Override
  public Granularity granularity() {
    return Granularity.LAYER;
  }

  @Override
  public Set<Signal> signals() {
    return Set.of(Signal.WINDOW_ATTENTION);
  }

  @Override
  public int window() {
    return window;
  }

  @Override
  public double preference(TokenView view, int layer) {
    int length = view.length();
    int rows = Math.min(window, length);
    MemorySegment attention = view.signal(Signal.WINDOW_ATTENTION, layer);
    double dispersion = 0;
    double shift = 0;
    for (int head = 0; head < view.queryHeads(); head++) {
      for (int s = 0; s < length - rows; s++) {
        long first = (long) head * rows * length + s;
        for (int row = 0; row < rows; row++) {
          double share = Floats.at(attention, first + (long) row * length);
          dispersion -= share * Math.log(share + TINY);
        }
        shift += Floats.variance(attention, first, length, rows);
      }
    }
    return Math.pow(Math.max(0, dispersion), 1 / tau1) * Math.pow(shift, 1 / tau2);
  }

  @Override
  public int share(double tokens, int length, int guarded, int layer, double[] preferences) {
    int room = length - guarded;
    int each = (int) tokens - guarded;
    double sum = Arrays.stream(preferences).sum();
    if (each <= 0 || sum <= 0) {
      return (int) tokens;
    }
    long left = (long) each * preferences.length;
    long[] shares = new long[preferences.length];
    for (int i = 0; i < shares.length; i++) {
      double share = preferences[i] / sum * each * preferences.length;
      shares[i] = Math.min((long) share, room);
    }
    left -= Arrays.stream(shares).sum();
    for (long open = open(shares, room); left > 0 && open > 0; open = open(shares, room)) {
      long more = Math.max(1, left / open);
      for (int i = 0; i < shares.length && left > 0; i++) {
        long given = Math.min(Math.min(more, left), room - shares[i]);
        shares[i] += given;
        left -= given;
      }
    }
    return guarded + (int) shares[layer];
  }

  private static long open(long[] shares, int room) {
    return Arrays.stream(shares).filter(share -> share < room).count();
  }
}
