package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyPlugin;
import java.util.List;

/** Provides the policies that order by use: {@code fifo}, {@code lfu}, {@code lru} and classes. */
public final class LruPolicies implements PolicyPlugin {

  static final BlockPolicyProvider FIFO = BlockPolicyProvider.of("fifo", FifoPolicy::new);
  static final BlockPolicyProvider LFU = BlockPolicyProvider.of("lfu", LfuPolicy::new);
  static final BlockPolicyProvider LRU = BlockPolicyProvider.of("lru", LruPolicy::new);
  static final BlockPolicyProvider PRIORITY =
      BlockPolicyProvider.of("priority", PriorityPolicy::new);

  /** Called by the service loader. */
  public LruPolicies() {}

  @Override
  public List<BlockPolicyProvider> blockPolicies() {
    return List.of(FIFO, LFU, LRU, PRIORITY);
  }
}
