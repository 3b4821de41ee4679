package dev.ebb.host.config;

import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.ValueType;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.tiers.remote}.
 *
 * @param server the Ebb server that shares prefixes of engines; null for none
 * @param password its password; null for none
 */
public record RemoteTierConfig(
    @Nullable HostPort server, @Nullable String password, Duration timeout) {

  static final Section<RemoteTierConfig> SECTION =
      new Section<>(RemoteTierConfig.class, "tiers.remote")
          .fixed("server", ValueType.OPTIONAL_ADDRESS)
          .fixed("password", ValueType.SECRET)
          .fixed("timeout", ValueType.INTERVAL);
}
