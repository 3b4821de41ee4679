package dev.ebb.plugin.sieve;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyPlugin;
import java.util.List;

/** Provides {@code sieve} and {@code s3-fifo}. */
public final class SievePolicies implements PolicyPlugin {

  static final BlockPolicyProvider SIEVE = BlockPolicyProvider.of("sieve", SievePolicy::new);
  static final BlockPolicyProvider S3FIFO = BlockPolicyProvider.of("s3-fifo", S3FifoPolicy::new);

  /** Called by the service loader. */
  public SievePolicies() {}

  @Override
  public List<BlockPolicyProvider> blockPolicies() {
    return List.of(SIEVE, S3FIFO);
  }
}
