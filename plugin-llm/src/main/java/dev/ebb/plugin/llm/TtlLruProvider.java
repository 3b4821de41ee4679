package dev.ebb.plugin.llm;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;
import java.time.Duration;

/** Provides {@code ttl-lru}: keeps an agent's blocks while its tool runs. */
public final class TtlLruProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public TtlLruProvider() {}

  @Override
  public String name() {
    return "ttl-lru";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    Settings settings = context.settings();
    return new TtlLruPolicy(
        context.clock(),
        settings.number("prefill-rate", 8_000, 1, 1e9),
        settings
            .duration("queue-delay", Duration.ZERO, Duration.ZERO, Duration.ofHours(1))
            .toNanos());
  }
}
