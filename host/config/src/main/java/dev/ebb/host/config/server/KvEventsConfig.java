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
 * @param connect whether to connect instead of listening
 * @param replayEndpoint a ZeroMQ address to listen on; null for none
 * @param bufferSteps how many batches are kept for replays
 * @param tokens where the tokens of chunks come from
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
   * @param sources the addresses of engines' events
   * @param replaySources where to request missed batches, in the order of the sources
   * @param blockSize the tokens of a router's block; 0 for those of the engine's
   * @param memory the bytes for tokens
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

  static final ConfigKey<Boolean> ENABLED =
      KEYS.key("server.kv-events.enabled", "false", ValueType.FLAG)
          .fixed("Publishes stored and removed keys for routers: [KV events](kv-events.md).");
  public static final ConfigKey<String> ENDPOINT =
      KEYS.key("server.kv-events.endpoint", "\"tcp://127.0.0.1:5557\"", ValueType.ENDPOINT)
          .fixed(
              "ZeroMQ address of the publisher. `tcp://*:5557` accepts other machines, without a"
                  + " password.");
  static final ConfigKey<Boolean> CONNECT =
      KEYS.key("server.kv-events.connect", "false", ValueType.FLAG)
          .fixed("Connects to the endpoint instead of listening on it, for a router that listens.");
  public static final ConfigKey<Optional<String>> REPLAY_ENDPOINT =
      KEYS.key("server.kv-events.replay-endpoint", "\"\"", ValueType.OPTIONAL_ENDPOINT)
          .fixed("ZeroMQ address to request missed batches from; empty: none.");
  static final ConfigKey<String> TOPIC =
      KEYS.key("server.kv-events.topic", "\"\"", ValueType.TEXT)
          .fixed("Topic of the messages. llm-d expects `kv@POD@MODEL`.");
  static final ConfigKey<String> MEDIUM =
      KEYS.key("server.kv-events.medium", "CPU", ValueType.TEXT)
          .fixed("Name of the storage tier in the events. Use one that your router knows.");
  static final ConfigKey<KvEventsFormat> FORMAT =
      KEYS.key("server.kv-events.format", "map", ValueType.choice(KvEventsFormat.class))
          .fixed("Format of vLLM: `map` since June 2026, `array` before.");
  static final ConfigKey<Integer> BUFFER_STEPS =
      KEYS.key("server.kv-events.buffer-steps", "10000", ValueType.integer(1, 1_000_000))
          .fixed("Batches kept for replays, up to 16 MiB.");
  public static final ConfigKey<List<String>> SOURCES =
      KEYS.key("server.kv-events.sources", "[]", ValueType.ENDPOINTS)
          .fixed(
              "ZeroMQ addresses of engines' KV events, from which Ebb learns the tokens of chunks.");
  public static final ConfigKey<List<String>> REPLAY_SOURCES =
      KEYS.key("server.kv-events.replay-sources", "[]", ValueType.ENDPOINTS)
          .fixed("Addresses to request missed batches from, in the order of `sources`.");
  static final ConfigKey<Integer> BLOCK_SIZE =
      KEYS.key("server.kv-events.block-size", "0", ValueType.integer(0, 65_536))
          .fixed(
              "Tokens of a router's block, if the engine's blocks are multiples of it; `0`: those"
                  + " of the engine.");
  static final ConfigKey<Long> TOKEN_MEMORY =
      KEYS.key("server.kv-events.token-memory", "64 MiB", ValueType.SIZE)
          .fixed("Memory for the tokens of blocks, outside the pool; the oldest are forgotten.");

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
