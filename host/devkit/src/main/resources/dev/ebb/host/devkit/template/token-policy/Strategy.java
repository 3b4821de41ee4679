package {{package}};

import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.Set;

/** The first and the newest tokens stay, and of the others those whose keys are small. */
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

  /** The highest scores stay: one for each KV head and token. */
  @Override
  public void score(TokenView view, int layer, float[] out) {
    MemorySegment norms = view.signal(Signal.KEY_NORM, layer);
    for (int i = 0; i < view.kvHeads() * view.length(); i++) {
      out[i] = -norms.getAtIndex(ValueLayout.JAVA_FLOAT, i);
    }
  }
}
