package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenView;

/**
 * Key norms, of Devoto, Zhao, Scardapane and Minervini, <a
 * href="https://arxiv.org/abs/2406.11430">A Simple and Effective L2 Norm-Based Strategy for KV
 * Cache Compression</a> (EMNLP 2024), section 3: keys with a low norm receive high attention.
 *
 * <p>The score is the negative Euclidean norm of a key. Rotation does not change it, so it is final
 * when a token is stored.
 */
final class KnormPolicy extends EndsPolicy {

  KnormPolicy(Ends ends) {
    super(ends, Granularity.KV_HEAD, Signal.KEY_NORM);
  }

  @Override
  public void score(TokenView view, int layer, float[] out) {
    int count = view.kvHeads() * view.length();
    Floats.copy(view.signal(Signal.KEY_NORM, layer), out, count);
    for (int i = 0; i < count; i++) {
      out[i] = -out[i];
    }
  }
}
