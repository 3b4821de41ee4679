package dev.ebb.plugin.predictive;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;

/**
 * Provides {@code predictive}: keeps the blocks with the highest expected hits per block-second.
 */
public final class PredictiveProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public PredictiveProvider() {}

  @Override
  public String name() {
    return "predictive";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    return new PredictivePolicy(context, PredictiveSettings.read(context.settings()));
  }
}
