package dev.ebb.plugin.arc;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyPlugin;
import java.util.List;

/** Provides {@code arc}. */
public final class ArcPolicies implements PolicyPlugin {

  static final BlockPolicyProvider ARC = BlockPolicyProvider.of("arc", ArcPolicy::new);

  /** Called by the service loader. */
  public ArcPolicies() {}

  @Override
  public List<BlockPolicyProvider> blockPolicies() {
    return List.of(ARC);
  }
}
