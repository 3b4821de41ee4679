package dev.ebb.testkit;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/** A right token policy: keys of small norm stay, and the last token always. */
class NormPolicyProvider implements TokenPolicyProvider {

  @Override
  public String name() {
    return "norm";
  }

  @Override
  public TokenPolicy create(PolicyContext context) {
    return new Norm();
  }

  /** The broken policies differ from it in one method each. */
  static class Norm extends HeadPolicy {
    Norm() {
      super(Trigger.UNDER_PRESSURE, Signal.KEY_NORM);
    }

    @Override
    public void protect(TokenView view, BitSet mask) {
      mask.set(Math.max(0, view.length() - 1), view.length());
    }

    @Override
    public void score(TokenView view, int layer, float[] out) {
      MemorySegment norms = view.signal(Signal.KEY_NORM, layer);
      for (int i = 0; i < view.kvHeads() * view.length(); i++) {
        out[i] = -norms.getAtIndex(ValueLayout.JAVA_FLOAT, i);
      }
    }
  }
}
