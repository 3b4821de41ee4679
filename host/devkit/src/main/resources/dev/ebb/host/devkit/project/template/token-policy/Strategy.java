package {{package}};

import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.Set;

/** Keeps the first and the newest tokens, and of the others those with small keys. */
final class {{class}} implements TokenPolicy {

  private final int protectedPrefix;
  private final int recent;

  {{class}}(int protectedPrefix, int recent) {
    this.protectedPrefix = protectedPrefix;
    this.recent = recent;
  }

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
    int length = view.length();
    mask.set(0, Math.min(protectedPrefix, length));
    mask.set(Math.max(0, length - recent), length);
  }

  /** Scores one value for each KV head and token; the highest stay. */
  @Override
  public void score(TokenView view, int layer, float[] out) {
    MemorySegment norms = view.signal(Signal.KEY_NORM, layer);
    for (int i = 0; i < view.kvHeads() * view.length(); i++) {
      out[i] = -norms.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i);
    }
  }
}
