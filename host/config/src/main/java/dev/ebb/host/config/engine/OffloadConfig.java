package dev.ebb.host.config.engine;

import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.ValueType;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.pool.offload}.
 *
 * @param server the RESP server that keeps preempted sequences; null for none
 * @param password its password; null for none
 */
public record OffloadConfig(
    @Nullable HostPort server, @Nullable String password, int minTokens, Duration timeout) {

  public static final Section<OffloadConfig> SECTION =
      new Section<>(OffloadConfig.class, "pool.offload")
          .fixed("server", ValueType.OPTIONAL_ADDRESS)
          .fixed("password", ValueType.SECRET)
          .fixed("min-tokens", ValueType.integer(1, 1 << 30))
          .fixed("timeout", ValueType.INTERVAL);
}
