package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import java.util.BitSet;
import java.util.Set;

/** A policy triggered under memory pressure that protects the two {@link Ends} of a sequence. */
abstract class EndsPolicy implements TokenPolicy {

  private final Ends ends;
  private final Granularity granularity;
  private final Set<Signal> signals;

  EndsPolicy(Ends ends, Granularity granularity, Signal... signals) {
    this.ends = ends;
    this.granularity = granularity;
    this.signals = Set.of(signals);
  }

  @Override
  public final Set<Signal> signals() {
    return signals;
  }

  @Override
  public final Granularity granularity() {
    return granularity;
  }

  @Override
  public final Trigger trigger() {
    return Trigger.UNDER_PRESSURE;
  }

  @Override
  public final void protect(TokenView view, BitSet mask) {
    ends.protect(view.length(), mask);
  }
}
