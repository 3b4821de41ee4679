package dev.ebb.host.config.server;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;
import java.time.Duration;

/**
 * The keys of {@code ebb.server} that limit clients.
 *
 * @param connections the maximum number of open connections
 * @param memoryBytes what all clients together may use for incomplete commands, replies, open
 *     requests and HTTP bodies
 * @param stallTimeout after which a client that stopped within a command, or does not read its
 *     replies, is disconnected; zero for never
 * @param idleTimeout after which a client that sends nothing is disconnected; zero for never
 * @param retainedTokens the most tokens that the hints of a tenant retain at the same time
 * @param maxRetention the longest time for which a hint retains them
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
      KEYS.key("server.max-clients", "10000", ValueType.integer(1, 1_000_000))
          .fixed("Largest number of connections. Another client gets an error.");
  static final ConfigKey<Double> CLIENT_MEMORY =
      KEYS.key("server.client-memory", "\"10 %\"", ValueType.SHARE)
          .fixed(
              "Share of the Java heap for incomplete commands, replies and open requests of all"
                  + " clients, and for HTTP bodies. Above it, Ebb disconnects the client that uses"
                  + " most.");
  static final ConfigKey<Duration> STALL_TIMEOUT =
      KEYS.key("server.stall-timeout", "30 s", ValueType.DURATION)
          .fixed(
              "Time after which Ebb disconnects a client that stopped within a command, or does not"
                  + " read its replies; `0 s` for never.");
  static final ConfigKey<Duration> IDLE_TIMEOUT =
      KEYS.key("server.idle-timeout", "0 s", ValueType.DURATION)
          .fixed("Time after which Ebb disconnects a client that sends nothing; `0 s` for never.");

  static final ConfigKey<Integer> RETAINED_TOKENS =
      KEYS.key("server.hints.retained-tokens", "1000000", ValueType.integer(0, Integer.MAX_VALUE))
          .fixed(
              "Most tokens that the [hints](serve.md#hints) of a tenant retain at the same time;"
                  + " 0: none.");
  static final ConfigKey<Duration> MAX_RETENTION =
      KEYS.key("server.hints.max-duration", "1 h", ValueType.DURATION)
          .fixed("Longest retention by a hint; a longer one is shortened.");

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

  /** Returns the default limits. */
  public static ClientLimits defaults() {
    return of(
        MAX_CLIENTS.defaultValue(),
        CLIENT_MEMORY.defaultValue(),
        STALL_TIMEOUT.defaultValue(),
        IDLE_TIMEOUT.defaultValue(),
        RETAINED_TOKENS.defaultValue(),
        MAX_RETENTION.defaultValue());
  }

  static ClientLimits read(ConfigReader reader) {
    return of(
        reader.get(MAX_CLIENTS),
        reader.get(CLIENT_MEMORY),
        reader.get(STALL_TIMEOUT),
        reader.get(IDLE_TIMEOUT),
        reader.get(RETAINED_TOKENS),
        reader.get(MAX_RETENTION));
  }

  private static ClientLimits of(
      int connections,
      double share,
      Duration stall,
      Duration idle,
      long retainedTokens,
      Duration maxRetention) {
    long bytes = (long) (share * Runtime.getRuntime().maxMemory());
    return new ClientLimits(
        connections, Math.max(LEAST_MEMORY, bytes), stall, idle, retainedTokens, maxRetention);
  }
}
