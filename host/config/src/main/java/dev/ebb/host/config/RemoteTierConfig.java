package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.tiers.remote}.
 *
 * @param server the Ebb server that shares prefixes of engines; null for none
 * @param password its password; null for none
 */
public record RemoteTierConfig(
    @Nullable HostPort server, @Nullable String password, Duration timeout) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<Optional<HostPort>> SERVER =
      KEYS.fixed("tiers.remote.server", ValueType.OPTIONAL_ADDRESS);
  static final ConfigKey<String> PASSWORD = KEYS.fixed("tiers.remote.password", ValueType.SECRET);
  static final ConfigKey<Duration> TIMEOUT = KEYS.fixed("tiers.remote.timeout", ValueType.INTERVAL);

  static RemoteTierConfig read(ConfigReader reader) {
    return new RemoteTierConfig(
        reader.get(SERVER).orElse(null), reader.secret(PASSWORD), reader.get(TIMEOUT));
  }
}
