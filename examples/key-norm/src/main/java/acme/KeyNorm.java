package acme;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.Set;

/**
 * Keeps tokens with small keys, and the newest tokens. Devoto et al., <a
 * href="https://arxiv.org/abs/2406.11430">A Simple and Effective L2 Norm-Based Strategy for KV
 * Cache Compression</a> (EMNLP 2024).
 */
public final class KeyNorm implements TokenPolicyProvider {

  @Override
  public String name() {
    return "key-norm";
  }

  @Override
  public TokenPolicy create(PolicyContext context) {
    return new Policy((int) context.settings().integer("recent", 64, 1, Integer.MAX_VALUE));
  }

  private record Policy(int recent) implements TokenPolicy {

    @Override
    public Set<Signal> signals() {
      return Set.of(Signal.KEY_NORM);
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
      mask.set(Math.max(0, view.length() - recent), view.length());
    }

    @Override
    public void score(TokenView view, int layer, float[] out) {
      MemorySegment norms = view.signal(Signal.KEY_NORM, layer);
      for (int i = 0; i < view.kvHeads() * view.length(); i++) {
        out[i] = -norms.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i);
      }
    }
  }
}
