package acme;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyPlugin;
import java.util.List;

/** Offers {@code states}. */
public final class StatesPlugin implements PolicyPlugin {

  /** Made by the service loader. */
  public StatesPlugin() {}

  @Override
  public List<BlockPolicyProvider> blockPolicies() {
    return List.of(
        BlockPolicyProvider.of("states", context -> new StatesByAge(context.capacityBlocks())));
  }
}
