package dev.ebb.spi.sim;

import dev.ebb.spi.Demand;
import org.jspecify.annotations.Nullable;

/** A request that waits for one block. */
public enum SimDemand implements Demand {
  ONE_BLOCK;

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
