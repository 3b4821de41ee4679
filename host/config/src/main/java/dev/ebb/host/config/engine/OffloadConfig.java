package dev.ebb.host.config.engine;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.pool.offload}.
 *
 * @param server the RESP server that keeps preempted sequences; null for none
 * @param password its password; null for none
 */
public record OffloadConfig(
    @Nullable HostPort server, @Nullable String password, int minTokens, Duration timeout) {

  public static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<Optional<HostPort>> SERVER =
      KEYS.fixed("pool.offload.server", ValueType.OPTIONAL_ADDRESS);
  static final ConfigKey<String> PASSWORD = KEYS.fixed("pool.offload.password", ValueType.SECRET);
  static final ConfigKey<Integer> MIN_TOKENS =
      KEYS.fixed("pool.offload.min-tokens", ValueType.integer(1, 1 << 30));
  static final ConfigKey<Duration> TIMEOUT = KEYS.fixed("pool.offload.timeout", ValueType.INTERVAL);

  public static OffloadConfig read(ConfigReader reader) {
    return new OffloadConfig(
        reader.get(SERVER).orElse(null),
        reader.secret(PASSWORD),
        reader.get(MIN_TOKENS),
        reader.get(TIMEOUT));
  }
}
