package dev.ebb.plugin.sieve;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Provides {@code sieve}: a hand that evicts entries not used since it last passed. */
public final class SieveProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public SieveProvider() {}

  @Override
  public String name() {
    return "sieve";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new SievePolicy();
  }
}
