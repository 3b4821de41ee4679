package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Token omission via attention, of Oren, Hassid, Yarden, Adi and Schwartz, <a
 * href="https://arxiv.org/abs/2401.06104">Transformers are Multi-State RNNs</a> (EMNLP 2024),
 * section 3.2: it drops the token that the newest query attends to least.
 *
 * <p>The score is the newest query's attention, averaged over all query heads of a layer, which
 * therefore keep the same tokens. The newest token stays; the paper does not force it, and
 * attention to oneself is high.
 */
final class TovaPolicy extends EndsPolicy {

  TovaPolicy() {
    super(new Ends(0, 1), Trigger.EVERY_STEP, Granularity.LAYER, Set.of(Signal.WINDOW_ATTENTION));
  }

  @Override
  public void score(TokenView view, int layer, float[] out) {
    int length = view.length();
    MemorySegment attention = view.signal(Signal.WINDOW_ATTENTION, layer);
    for (int s = 0; s < length; s++) {
      float sum = 0;
      for (int head = 0; head < view.queryHeads(); head++) {
        sum += Floats.at(attention, (long) head * length + s);
      }
      out[s] = sum / view.queryHeads();
    }
  }
}
