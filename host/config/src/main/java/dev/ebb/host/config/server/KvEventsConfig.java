package dev.ebb.host.config.server;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.server.kv-events}.
 *
 * @param endpoint a ZeroMQ address to listen on, or to connect to
 * @param replayEndpoint a ZeroMQ address to listen on; null for none
 */
public record KvEventsConfig(
    boolean enabled,
    String endpoint,
    boolean connect,
    @Nullable String replayEndpoint,
    String topic,
    String medium,
    KvEventsFormat format,
    int bufferSteps,
    TokenSources tokens) {

  /**
   * Where the tokens of chunks come from, and how events state them.
   *
   * @param replaySources where to request missed batches, in the order of the sources
   * @param blockSize the tokens of a router's block; 0 for those of the engine's
   */
  public record TokenSources(
      List<String> sources, List<String> replaySources, int blockSize, long memory) {

    public TokenSources {
      sources = List.copyOf(sources);
      replaySources = List.copyOf(replaySources);
    }

    /** Requests only, with a size for the tokens. */
    public static TokenSources requests(int blockSize, long memory) {
      return new TokenSources(List.of(), List.of(), blockSize, memory);
    }
  }

  public static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<Boolean> ENABLED = KEYS.fixed("server.kv-events.enabled", ValueType.FLAG);
  public static final ConfigKey<String> ENDPOINT =
      KEYS.fixed("server.kv-events.endpoint", ValueType.ENDPOINT);
  static final ConfigKey<Boolean> CONNECT = KEYS.fixed("server.kv-events.connect", ValueType.FLAG);
  public static final ConfigKey<Optional<String>> REPLAY_ENDPOINT =
      KEYS.fixed("server.kv-events.replay-endpoint", ValueType.OPTIONAL_ENDPOINT);
  static final ConfigKey<String> TOPIC = KEYS.fixed("server.kv-events.topic", ValueType.TEXT);
  static final ConfigKey<String> MEDIUM = KEYS.fixed("server.kv-events.medium", ValueType.TEXT);
  static final ConfigKey<KvEventsFormat> FORMAT =
      KEYS.fixed("server.kv-events.format", ValueType.choice(KvEventsFormat.class));
  static final ConfigKey<Integer> BUFFER_STEPS =
      KEYS.fixed("server.kv-events.buffer-steps", ValueType.integer(1, 1_000_000));
  public static final ConfigKey<List<String>> SOURCES =
      KEYS.fixed("server.kv-events.sources", ValueType.ENDPOINTS);
  public static final ConfigKey<List<String>> REPLAY_SOURCES =
      KEYS.fixed("server.kv-events.replay-sources", ValueType.ENDPOINTS);
  static final ConfigKey<Integer> BLOCK_SIZE =
      KEYS.fixed("server.kv-events.block-size", ValueType.integer(0, 65_536));
  static final ConfigKey<Long> TOKEN_MEMORY =
      KEYS.fixed("server.kv-events.token-memory", ValueType.SIZE);

  static KvEventsConfig read(ConfigReader reader) {
    return new KvEventsConfig(
        reader.get(ENABLED),
        reader.get(ENDPOINT),
        reader.get(CONNECT),
        reader.get(REPLAY_ENDPOINT).orElse(null),
        reader.get(TOPIC),
        reader.get(MEDIUM),
        reader.get(FORMAT),
        reader.get(BUFFER_STEPS),
        new TokenSources(
            reader.get(SOURCES),
            reader.get(REPLAY_SOURCES),
            reader.get(BLOCK_SIZE),
            reader.get(TOKEN_MEMORY)));
  }
}
