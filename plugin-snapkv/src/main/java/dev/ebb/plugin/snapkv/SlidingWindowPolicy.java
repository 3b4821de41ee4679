package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import java.util.BitSet;
import java.util.Set;

/**
 * Attention sinks and a sliding window, of Xiao, Tian, Chen, Han and Lewis, <a
 * href="https://arxiv.org/abs/2309.17453">Efficient Streaming Language Models with Attention
 * Sinks</a> (ICLR 2024), section 3.2.
 *
 * <p>The prefix and the window are two numbers that add up: 64 and 1,024 protect 1,088 tokens. The
 * paper's cache of B tokens is a prefix of 4 and a window of B - 4. The score is the index: newer
 * is higher.
 */
final class SlidingWindowPolicy implements TokenPolicy {

  private final Ends ends;

  SlidingWindowPolicy(Ends ends) {
    this.ends = ends;
  }

  @Override
  public Set<Signal> signals() {
    return Set.of();
  }

  @Override
  public Granularity granularity() {
    return Granularity.SEQUENCE;
  }

  @Override
  public Trigger trigger() {
    return Trigger.UNDER_PRESSURE;
  }

  @Override
  public void protect(TokenView view, BitSet mask) {
    ends.protect(view.length(), mask);
  }

  @Override
  public void score(TokenView view, int layer, float[] out) {
    for (int i = 0; i < view.length(); i++) {
      out[i] = i;
    }
  }
}
