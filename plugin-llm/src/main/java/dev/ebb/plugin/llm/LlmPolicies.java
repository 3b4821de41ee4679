package dev.ebb.plugin.llm;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyPlugin;
import java.util.List;

/** Provides the policies made for prompts. */
public final class LlmPolicies implements PolicyPlugin {

  static final BlockPolicyProvider SLRU = BlockPolicyProvider.of("slru", SlruPolicy::new);
  static final BlockPolicyProvider TAIL_LRU = BlockPolicyProvider.of("t-lru", TailLruPolicy::new);
  static final BlockPolicyProvider TTL_LRU = BlockPolicyProvider.of("ttl-lru", TtlLruPolicy::new);
  static final BlockPolicyProvider RETENTION =
      BlockPolicyProvider.of("retention", RetentionPolicy::new);
  static final BlockPolicyProvider SESSION_REFS =
      BlockPolicyProvider.of("session-refs", SessionRefsPolicy::new);
  static final BlockPolicyProvider MARCONI = BlockPolicyProvider.of("marconi", MarconiPolicy::new);
  static final BlockPolicyProvider WORKLOAD_AWARE =
      BlockPolicyProvider.of("workload-aware", WorkloadAwarePolicy::new);

  /** Called by the service loader. */
  public LlmPolicies() {}

  @Override
  public List<BlockPolicyProvider> blockPolicies() {
    return List.of(SLRU, TAIL_LRU, TTL_LRU, RETENTION, SESSION_REFS, MARCONI, WORKLOAD_AWARE);
  }
}
