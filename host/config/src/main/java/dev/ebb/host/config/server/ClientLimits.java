package dev.ebb.host.config.server;

import com.typesafe.config.ConfigFactory;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.ValueType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;

/**
 * The keys of {@code ebb.server} that limit clients.
 *
 * @param memoryBytes what all clients together may use for incomplete commands, replies, open
 *     requests and HTTP bodies
 * @param stallTimeout after which a client that stopped within a command, or does not read its
 *     replies, is disconnected; zero for never
 * @param idleTimeout after which a client that sends nothing is disconnected; zero for never
 */
public record ClientLimits(
    int connections,
    long memoryBytes,
    Duration stallTimeout,
    Duration idleTimeout,
    long retainedTokens,
    Duration maxRetention) {

  private static final ConfigKey<Double> CLIENT_MEMORY =
      ConfigKey.fixed("server.client-memory", ValueType.SHARE);
  private static final ConfigKey<Integer> RETAINED_TOKENS =
      ConfigKey.fixed("server.hints.retained-tokens", ValueType.integer(0, Integer.MAX_VALUE));
  private static final ConfigKey<Duration> MAX_RETENTION =
      ConfigKey.fixed("server.hints.max-duration", ValueType.DURATION);

  static final Section<ClientLimits> SECTION =
      new Section<>(ClientLimits.class, "server")
          .fixed("max-clients", ValueType.integer(1, 1_000_000))
          .read(ClientLimits::memoryBytes, CLIENT_MEMORY)
          .fixed("stall-timeout", ValueType.DURATION)
          .fixed("idle-timeout", ValueType.DURATION)
          .read(reader -> (long) reader.get(RETAINED_TOKENS), RETAINED_TOKENS)
          .key(MAX_RETENTION);

  private static final long LEAST_MEMORY = 4 << 20;

  /** Creates limits with the default ones for hints. */
  public ClientLimits(
      int connections, long memoryBytes, Duration stallTimeout, Duration idleTimeout) {
    this(
        connections,
        memoryBytes,
        stallTimeout,
        idleTimeout,
        RETAINED_TOKENS.defaultValue(),
        MAX_RETENTION.defaultValue());
  }

  public static ClientLimits defaults() {
    return SECTION.read(new ConfigReader(ConfigFactory.empty(), Path.of(""), new ArrayList<>()));
  }

  private static long memoryBytes(ConfigReader reader) {
    long memory = (long) (reader.get(CLIENT_MEMORY) * Runtime.getRuntime().maxMemory());
    return Math.max(LEAST_MEMORY, memory);
  }
}
