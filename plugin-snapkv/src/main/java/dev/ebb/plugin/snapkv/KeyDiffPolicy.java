package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Set;

/**
 * Keys unlike the others stay, of Park, Jones, Morse, Goel, Lee and Lott, <a
 * href="https://arxiv.org/abs/2504.15364">KeyDiff: Key Similarity-Based KV Cache Eviction for
 * Long-Context LLM Inference in Resource-Constrained Environments</a> (2025), section 3: keys that
 * differ from the rest receive high attention, whatever the query.
 *
 * <p>The anchor is the mean of the keys, each divided by its norm; the score is the negative cosine
 * between a key and the anchor. A key of length zero is like none, and scores 0.
 */
final class KeyDiffPolicy implements TokenPolicy {

  private final Ends ends;

  KeyDiffPolicy(Ends ends) {
    this.ends = ends;
  }

  @Override
  public Set<Signal> signals() {
    return Set.of(Signal.KEYS, Signal.KEY_MEAN);
  }

  @Override
  public Granularity granularity() {
    return Granularity.KV_HEAD;
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
    int size = view.headDimension();
    MemorySegment keys = view.signal(Signal.KEYS, layer);
    MemorySegment anchors = view.signal(Signal.KEY_MEAN, layer);
    for (int i = 0; i < view.kvHeads() * view.length(); i++) {
      long key = (long) i * size;
      long anchor = (long) i / view.length() * size;
      double dot = 0;
      double keySquares = 0;
      double anchorSquares = 0;
      for (int d = 0; d < size; d++) {
        double k = Floats.at(keys, key + d);
        double a = Floats.at(anchors, anchor + d);
        dot += k * a;
        keySquares += k * k;
        anchorSquares += a * a;
      }
      double norms = Math.sqrt(keySquares) * Math.sqrt(anchorSquares);
      out[i] = norms == 0 ? 0 : (float) (-dot / norms);
    }
  }
}
