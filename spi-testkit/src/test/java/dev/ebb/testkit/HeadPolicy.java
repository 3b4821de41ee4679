package dev.ebb.testkit;

import dev.ebb.spi.TokenPolicy;
import java.util.Set;

/** A token policy for each KV head. Broken ones override what they declare. */
abstract class HeadPolicy implements TokenPolicy {

  private final Trigger trigger;
  private final Set<Signal> signals;

  HeadPolicy(Trigger trigger, Signal... signals) {
    this.trigger = trigger;
    this.signals = Set.of(signals);
  }

  @Override
  public Set<Signal> signals() {
    return signals;
  }

  @Override
  public Trigger trigger() {
    return trigger;
  }

  @Override
  public Granularity granularity() {
    return Granularity.KV_HEAD;
  }
}
