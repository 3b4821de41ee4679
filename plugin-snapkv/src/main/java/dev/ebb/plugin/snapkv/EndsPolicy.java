package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import java.util.BitSet;
import java.util.Set;

/** A policy that protects the two {@link Ends} of a sequence. */
abstract class EndsPolicy implements TokenPolicy {

  private final Ends ends;
  private final Trigger trigger;
  private final Granularity granularity;
  private final Set<Signal> signals;

  /** Creates a policy that is triggered under memory pressure. */
  EndsPolicy(Ends ends, Granularity granularity, Signal... signals) {
    this(ends, Trigger.UNDER_PRESSURE, granularity, Set.of(signals));
  }

  EndsPolicy(Ends ends, Trigger trigger, Granularity granularity, Set<Signal> signals) {
    this.ends = ends;
    this.trigger = trigger;
    this.granularity = granularity;
    this.signals = signals;
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
    return trigger;
  }

  @Override
  public void protect(TokenView view, BitSet mask) {
    ends.protect(view.length(), mask);
  }
}
