package dev.ebb.plugin.classic;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyPlugin;
import java.util.List;

/** Provides the policies of the literature. */
public final class ClassicPolicies implements PolicyPlugin {

  static final BlockPolicyProvider CLOCK = BlockPolicyProvider.of("clock", ClockPolicy::new);
  static final BlockPolicyProvider TWO_QUEUE = BlockPolicyProvider.of("2q", TwoQueuePolicy::new);
  static final BlockPolicyProvider QDLP = BlockPolicyProvider.of("qdlp", QdlpPolicy::new);
  static final BlockPolicyProvider LIRS = BlockPolicyProvider.of("lirs", LirsPolicy::new);
  static final BlockPolicyProvider GDSF = BlockPolicyProvider.of("gdsf", GdsfPolicy::new);
  static final BlockPolicyProvider LECAR = BlockPolicyProvider.of("lecar", LecarPolicy::new);
  static final BlockPolicyProvider TINY_LFU =
      BlockPolicyProvider.of("w-tinylfu", TinyLfuPolicy::new);
  static final BlockPolicyProvider HYPERBOLIC =
      BlockPolicyProvider.of("hyperbolic", HyperbolicPolicy::new);
  static final BlockPolicyProvider LHD = BlockPolicyProvider.of("lhd", LhdPolicy::new);

  /** Called by the service loader. */
  public ClassicPolicies() {}

  @Override
  public List<BlockPolicyProvider> blockPolicies() {
    return List.of(CLOCK, TWO_QUEUE, QDLP, LIRS, GDSF, LECAR, TINY_LFU, HYPERBOLIC, LHD);
  }
}
