package dev.ebb.plugin.sieve;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/** Offers {@code sieve}: a hand that evicts what was not used since it last came by. */
public final class SieveProvider implements BlockPolicyProvider {

  /** Made by the service loader. */
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
