package dev.ebb.host.config.server;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.Section;
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

  public static final ConfigKey<String> ENDPOINT =
      ConfigKey.fixed("server.kv-events.endpoint", ValueType.ENDPOINT);
  public static final ConfigKey<Optional<String>> REPLAY_ENDPOINT =
      ConfigKey.fixed("server.kv-events.replay-endpoint", ValueType.OPTIONAL_ENDPOINT);
  public static final ConfigKey<List<String>> SOURCES =
      ConfigKey.fixed("server.kv-events.sources", ValueType.ENDPOINTS);
  public static final ConfigKey<List<String>> REPLAY_SOURCES =
      ConfigKey.fixed("server.kv-events.replay-sources", ValueType.ENDPOINTS);

  private static final Section<TokenSources> TOKENS =
      new Section<>(TokenSources.class, "server.kv-events")
          .key(SOURCES)
          .key(REPLAY_SOURCES)
          .fixed("block-size", ValueType.integer(0, 65_536))
          .fixed("token-memory", ValueType.SIZE);

  static final Section<KvEventsConfig> SECTION =
      new Section<>(KvEventsConfig.class, "server.kv-events")
          .fixed("enabled", ValueType.FLAG)
          .key(ENDPOINT)
          .fixed("connect", ValueType.FLAG)
          .key(REPLAY_ENDPOINT)
          .fixed("topic", ValueType.TEXT)
          .fixed("medium", ValueType.TEXT)
          .fixed("format", ValueType.choice(KvEventsFormat.class))
          .fixed("buffer-steps", ValueType.integer(1, 1_000_000))
          .section(TOKENS);

  /** Returns this configuration for an engine, which knows its tokens. */
  public KvEventsConfig withoutSources() {
    return new KvEventsConfig(
        enabled,
        endpoint,
        connect,
        replayEndpoint,
        topic,
        medium,
        format,
        bufferSteps,
        TokenSources.requests(tokens.blockSize(), tokens.memory()));
  }
}
