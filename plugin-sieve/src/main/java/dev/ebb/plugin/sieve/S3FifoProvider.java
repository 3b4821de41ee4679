package dev.ebb.plugin.sieve;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;

/** Provides {@code s3-fifo}: a small queue for new entries, a main queue for those used in it. */
public final class S3FifoProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public S3FifoProvider() {}

  @Override
  public String name() {
    return "s3-fifo";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    Settings settings = context.settings();
    return new S3FifoPolicy(
        context.capacityBlocks(),
        settings.number("small-ratio", 0.10, 0.001, 0.999),
        settings.number("ghost-ratio", 0.90, 0, 10),
        (int) settings.integer("move-to-main-threshold", 2, 1, 3));
  }
}
