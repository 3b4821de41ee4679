package dev.ebb.host.config;

import dev.ebb.host.config.engine.OffloadConfig;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.PoolSize;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;

/** {@code ebb.pool}. */
public record PoolConfig(
    PoolDevice device, PoolSize size, PoolNuma numa, DefragConfig defrag, OffloadConfig offload) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<PoolDevice> DEVICE =
      KEYS.fixed("pool.device", ValueType.choice(PoolDevice.class));
  static final ConfigKey<PoolSize> SIZE = KEYS.fixed("pool.size", ValueType.SIZE_OR_SHARE);
  static final ConfigKey<PoolNuma> NUMA = KEYS.fixed("pool.numa", ValueType.choice(PoolNuma.class));

  static PoolConfig read(ConfigReader reader) {
    return new PoolConfig(
        reader.get(DEVICE),
        reader.get(SIZE),
        reader.get(NUMA),
        DefragConfig.read(reader),
        OffloadConfig.read(reader));
  }
}
