package dev.ebb.host.config;

import dev.ebb.host.config.engine.OffloadConfig;
import dev.ebb.host.config.key.PoolSize;
import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.ValueType;

/** {@code ebb.pool}. */
public record PoolConfig(
    PoolDevice device, PoolSize size, PoolNuma numa, DefragConfig defrag, OffloadConfig offload) {

  static final Section<PoolConfig> SECTION =
      new Section<>(PoolConfig.class, "pool")
          .fixed("device", ValueType.choice(PoolDevice.class))
          .fixed("size", ValueType.SIZE_OR_SHARE)
          .fixed("numa", ValueType.choice(PoolNuma.class))
          .section(DefragConfig.SECTION)
          .section(OffloadConfig.SECTION);
}
