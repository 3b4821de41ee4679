package dev.ebb.host.engine;

import dev.ebb.host.signals.Observations;
import dev.ebb.host.signals.SignalNeeds;
import dev.ebb.host.signals.TokenSignals;
import java.util.Set;

/** Gives each sequence what keeps its signals, for the token policies in use. */
final class SignalKeeping {

  private static final SignalNeeds NOTHING = new SignalNeeds(Set.of(), 1);

  private final Engine engine;
  private volatile SignalNeeds needs = NOTHING;
  private volatile int queryHeads;

  SignalKeeping(Engine engine) {
    this.engine = engine;
  }

  void observed(Observations observations) {
    queryHeads = observations.queryHeads();
  }

  void needs(SignalNeeds changed) {
    needs = changed;
  }

  /** Whether anything is to be kept. */
  boolean wanted() {
    return !needs.signals().isEmpty();
  }

  /** A sequence's signals; on its own thread. */
  TokenSignals of(Sequence sequence) {
    TokenSignals signals = sequence.signals;
    if (signals == null) {
      int heads = queryHeads == 0 ? engine.layout().kvHeads() : queryHeads;
      signals = new TokenSignals(needs, engine.layout(), heads, sequence.stored);
      sequence.signals = signals;
    }
    signals.require(needs);
    return signals;
  }
}
