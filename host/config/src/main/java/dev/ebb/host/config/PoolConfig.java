package dev.ebb.host.config;

import dev.ebb.host.config.engine.OffloadConfig;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.PoolSize;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;

/** {@code ebb.pool}. */
public record PoolConfig(
    PoolDevice device, PoolSize size, DefragConfig defrag, OffloadConfig offload) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<PoolDevice> DEVICE =
      KEYS.key("pool.device", "auto", ValueType.choice(PoolDevice.class))
          .fixed(
              "The memory of KV blocks. `auto`: the GPUs if present, else host memory. `all`: both."
                  + " `ebb serve` uses host memory, with `cuda` the first GPU.");
  static final ConfigKey<PoolSize> SIZE =
      KEYS.key("pool.size", "\"50 %\"", ValueType.SIZE_OR_SHARE)
          .fixed("Size on each device: `8 GiB`, or a share of the memory available at start.");

  static PoolConfig read(ConfigReader reader) {
    return new PoolConfig(
        reader.get(DEVICE),
        reader.get(SIZE),
        DefragConfig.read(reader),
        OffloadConfig.read(reader));
  }
}
