package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Set;

/**
 * SnapKV, of Li, Huang, Yang, Venkitesh, Locatelli, Ye, Cai, Lewis and Chen, <a
 * href="https://arxiv.org/abs/2404.14469">SnapKV: LLM Knows What You are Looking for Before
 * Generation</a> (2024), section 4: the last tokens of a prompt are an observation window, and the
 * answer will attend to the same tokens.
 *
 * <p>The score is the mean attention of the window's queries. It is averaged over neighbours, so
 * that the kept text is readable, and over the query heads that share a KV head. At the edges the
 * kernel reads zeros and still divides by its whole size, as the paper's code does.
 *
 * <p>With a {@code gamma}, it is the eviction indicator of CAKE, of Qin et al., <a
 * href="https://arxiv.org/abs/2503.12491">CAKE: Cascading and Adaptive KV Cache Eviction with Layer
 * Preferences</a> (2025): {@code gamma} times the variance of the same attention is added, so that
 * tokens whose importance changes stay.
 */
final class SnapKvPolicy extends EndsPolicy {

  private final int window;
  private final int kernel;
  private final double gamma;
  private final float[] left;

  SnapKvPolicy(int window, int kernel, double gamma) {
    super(
        new Ends(0, window),
        Trigger.AFTER_PREFILL,
        Granularity.KV_HEAD,
        Set.of(Signal.WINDOW_ATTENTION));
    this.window = window;
    this.kernel = kernel;
    this.gamma = gamma;
    left = new float[kernel / 2];
  }

  @Override
  public int window() {
    return window;
  }

  @Override
  public void score(TokenView view, int layer, float[] out) {
    int length = view.length();
    int rows = Math.min(window, length);
    int before = length - rows;
    int group = view.queryHeads() / view.kvHeads();
    MemorySegment attention = view.signal(Signal.WINDOW_ATTENTION, layer);
    Arrays.fill(out, 0, view.kvHeads() * length, 0);
    for (int head = 0; head < view.kvHeads(); head++) {
      int start = head * length;
      for (int row = head * group * rows; row < (head + 1) * group * rows; row++) {
        for (int s = 0; s < before; s++) {
          out[start + s] += Floats.at(attention, (long) row * length + s);
        }
      }
      for (int query = head * group; gamma > 0 && query < (head + 1) * group; query++) {
        for (int s = 0; s < before; s++) {
          long first = (long) query * rows * length + s;
          out[start + s] +=
              (float) (rows * gamma * Floats.variance(attention, first, length, rows));
        }
      }
      pool(out, start, before, group * rows);
    }
  }

  /**
   * Averages neighbours in place; keeps copies of those to the left, which are overwritten by then.
   */
  private void pool(float[] out, int start, int count, int rows) {
    int half = kernel / 2;
    float divisor = (float) kernel * rows;
    for (int s = 0; s < count; s++) {
      float sum = 0;
      for (int near = 0; near <= half && s + near < count; near++) {
        sum += out[start + s + near];
      }
      for (int near = 1; near <= Math.min(half, s); near++) {
        sum += left[(s - near) % half];
      }
      if (half > 0) {
        left[s % half] = out[start + s];
      }
      out[start + s] = sum / divisor;
    }
  }
}
