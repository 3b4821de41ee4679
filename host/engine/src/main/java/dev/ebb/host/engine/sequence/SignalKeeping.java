package dev.ebb.host.engine.sequence;

import dev.ebb.host.tokens.signals.Observations;
import dev.ebb.host.tokens.signals.SignalNeeds;
import dev.ebb.host.tokens.signals.TokenSignals;
import dev.ebb.spi.Rotation;
import org.jspecify.annotations.Nullable;

/** Creates the signals of each sequence for the active token policies. */
public final class SignalKeeping {

  private final Engine engine;
  private volatile SignalNeeds needs = SignalNeeds.NOTHING;
  private volatile int queryHeads;
  private volatile @Nullable Rotation rotation;

  SignalKeeping(Engine engine) {
    this.engine = engine;
  }

  public void observed(Observations observations) {
    queryHeads = observations.queryHeads();
    rotation = observations.rotation();
  }

  void needs(SignalNeeds changed) {
    needs = changed;
  }

  boolean wanted() {
    return !needs.signals().isEmpty();
  }

  /** Returns a sequence's signals; on its own thread. */
  TokenSignals of(Sequence sequence) {
    TokenSignals signals = sequence.signals;
    if (signals == null) {
      int heads = queryHeads == 0 ? engine.layout().kvHeads() : queryHeads;
      signals = new TokenSignals(needs, engine.layout(), heads, rotation, sequence.stored);
      sequence.signals = signals;
    }
    signals.require(needs);
    return signals;
  }
}
