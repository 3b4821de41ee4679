package acme;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;

/** Offers {@code two-q}. */
public final class TwoQProvider implements BlockPolicyProvider {

  /** Made by the service loader. */
  public TwoQProvider() {}

  @Override
  public String name() {
    return "two-q";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    Settings settings = context.settings();
    return new TwoQPolicy(
        context.capacityBlocks(),
        settings.number("in-ratio", 0.25, 0, 1),
        settings.number("out-ratio", 0.5, 0, 4));
  }
}
