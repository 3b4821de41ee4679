package dev.ebb.host.config.server;

import com.typesafe.config.ConfigFactory;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
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

  public static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<Integer> MAX_CLIENTS =
      KEYS.fixed("server.max-clients", ValueType.integer(1, 1_000_000));
  static final ConfigKey<Double> CLIENT_MEMORY =
      KEYS.fixed("server.client-memory", ValueType.SHARE);
  static final ConfigKey<Duration> STALL_TIMEOUT =
      KEYS.fixed("server.stall-timeout", ValueType.DURATION);
  static final ConfigKey<Duration> IDLE_TIMEOUT =
      KEYS.fixed("server.idle-timeout", ValueType.DURATION);

  static final ConfigKey<Integer> RETAINED_TOKENS =
      KEYS.fixed("server.hints.retained-tokens", ValueType.integer(0, Integer.MAX_VALUE));
  static final ConfigKey<Duration> MAX_RETENTION =
      KEYS.fixed("server.hints.max-duration", ValueType.DURATION);

  /** Enough for one command with a few large keys. */
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
    return read(new ConfigReader(ConfigFactory.empty(), Path.of(""), new ArrayList<>()));
  }

  static ClientLimits read(ConfigReader reader) {
    long memory = (long) (reader.get(CLIENT_MEMORY) * Runtime.getRuntime().maxMemory());
    return new ClientLimits(
        reader.get(MAX_CLIENTS),
        Math.max(LEAST_MEMORY, memory),
        reader.get(STALL_TIMEOUT),
        reader.get(IDLE_TIMEOUT),
        reader.get(RETAINED_TOKENS),
        reader.get(MAX_RETENTION));
  }
}
