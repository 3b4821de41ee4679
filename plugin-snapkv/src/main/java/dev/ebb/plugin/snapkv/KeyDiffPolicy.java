package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;

/**
 * KeyDiff, of Park, Jones, Morse, Goel, Lee and Lott, <a
 * href="https://arxiv.org/abs/2504.15364">KeyDiff: Key Similarity-Based KV Cache Eviction for
 * Long-Context LLM Inference in Resource-Constrained Environments</a> (2025), section 3: keys that
 * differ from the rest receive high attention, whatever the query.
 *
 * <p>The anchor is the mean of the keys, each divided by its norm; the score is the negative cosine
 * between a key and the anchor. A key of length zero scores 0.
 */
final class KeyDiffPolicy extends EndsPolicy {

  KeyDiffPolicy(Ends ends) {
    super(ends, Granularity.KV_HEAD, Signal.KEYS, Signal.KEY_MEAN);
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
