package dev.ebb.plugin.predictive;

import dev.ebb.spi.Demand;
import org.jspecify.annotations.Nullable;

/** Room for one block, for nobody in particular. */
final class AnyDemand implements Demand {

  @Override
  public long blocks() {
    return 1;
  }

  @Override
  public Reason reason() {
    return Reason.ALLOCATION;
  }

  @Override
  public int priority() {
    return 1;
  }

  @Override
  public @Nullable String tenant() {
    return null;
  }
}
