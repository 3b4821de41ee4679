package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenView;

/**
 * Attention sinks and a sliding window, of Xiao, Tian, Chen, Han and Lewis, <a
 * href="https://arxiv.org/abs/2309.17453">Efficient Streaming Language Models with Attention
 * Sinks</a> (ICLR 2024), section 3.2.
 *
 * <p>The prefix and the window are two numbers that add up: 64 and 1,024 protect 1,088 tokens. The
 * paper's cache of B tokens is a prefix of 4 and a window of B - 4. The score is the index: newer
 * is higher.
 */
final class SlidingWindowPolicy extends EndsPolicy {

  SlidingWindowPolicy(Ends ends) {
    super(ends, Granularity.SEQUENCE);
  }

  @Override
  public void score(TokenView view, int layer, float[] out) {
    for (int i = 0; i < view.length(); i++) {
      out[i] = i;
    }
  }
}
