package dev.ebb.plugin.classic;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Settings;

/** Provides {@code qdlp}: quick demotion of new entries, lazy promotion of used ones. */
public final class QdlpProvider implements BlockPolicyProvider {

  /** Called by the service loader. */
  public QdlpProvider() {}

  @Override
  public String name() {
    return "qdlp";
  }

  @Override
  public BlockPolicy<?> create(PolicyContext context) {
    Settings settings = context.settings();
    return new QdlpPolicy(
        context.capacityBlocks(),
        settings.number("probation-ratio", 0.1, 0.001, 0.999),
        settings.number("ghost-ratio", 0.9, 0, 10));
  }
}
