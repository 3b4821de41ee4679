package acme;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;

/** Makes {@link LrbPolicy} instances. */
public final class LrbProvider implements BlockPolicyProvider {

  /** Made by the service loader. */
  public LrbProvider() {}

  @Override
  public String name() {
    return "lrb";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    Settings settings = context.settings();
    return new LrbPolicy(
        context,
        (int) settings.integer("samples", 32, 1, 1_024),
        settings.number("window", 4, 1, 1_000),
        (int) settings.integer("batch", 4_096, 64, 1 << 20));
  }
}
