package dev.ebb.plugin.predictive;

import dev.ebb.plugin.predictive.lifetime.LifetimePolicy;
import dev.ebb.plugin.predictive.lifetime.OnlinePredictor;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PolicyPlugin;
import java.util.List;

/** Provides the policies that learn, and the predictor offered with them. */
public final class PredictivePolicies implements PolicyPlugin {

  static final BlockPolicyProvider PREDICTIVE =
      BlockPolicyProvider.of(
          "predictive",
          context -> new PredictivePolicy(context, PredictiveSettings.read(context.settings())));

  /** Called by the service loader. */
  public PredictivePolicies() {}

  @Override
  public List<BlockPolicyProvider> blockPolicies() {
    return List.of(PREDICTIVE, LifetimePolicy.PROVIDER);
  }

  @Override
  public List<LifetimePredictorProvider> lifetimePredictors() {
    return List.of(OnlinePredictor.PROVIDER);
  }
}
