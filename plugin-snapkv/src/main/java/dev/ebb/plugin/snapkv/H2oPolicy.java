package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenView;
import java.util.Set;

/**
 * Heavy hitters, of Zhang et al., <a href="https://arxiv.org/abs/2306.14048">H2O: Heavy-Hitter
 * Oracle for Efficient Generative Inference of Large Language Models</a> (NeurIPS 2023), section 4:
 * a few tokens receive most of the attention, and will go on to receive it.
 *
 * <p>The score is the attention a token received from all queries since it was stored, never
 * divided by its age. It is lost when the token is dropped. The {@code recent} newest tokens stay
 * beside the heavy hitters.
 */
final class H2oPolicy extends EndsPolicy {

  H2oPolicy(int recent) {
    super(
        new Ends(0, recent),
        Trigger.EVERY_STEP,
        Granularity.KV_HEAD,
        Set.of(Signal.ACCUMULATED_ATTENTION));
  }

  @Override
  public void score(TokenView view, int layer, float[] out) {
    Floats.copy(
        view.signal(Signal.ACCUMULATED_ATTENTION, layer), out, view.kvHeads() * view.length());
  }
}
