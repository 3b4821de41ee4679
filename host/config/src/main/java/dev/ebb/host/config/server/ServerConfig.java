package dev.ebb.host.config.server;

import static java.util.Objects.requireNonNull;

import com.typesafe.config.ConfigObject;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.config.key.ValueType;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.server}.
 *
 * @param unixSocket the path of a Unix domain socket; null for none
 * @param sharedMemory the folder of the file that clients map; null for none
 * @param sequencesBytes the memory for sequences of engines in other processes; 0 for none
 * @param chains {@code off} alone, or any of {@code auto} and patterns of keys
 * @param models the object groups of hybrid models, by patterns of their names
 */
public record ServerConfig(
    ListenConfig listen,
    List<UserConfig> users,
    @Nullable Path unixSocket,
    @Nullable Path sharedMemory,
    long sequencesBytes,
    long maxValueBytes,
    OnFullChoice onFull,
    int threads,
    ClientLimits clients,
    Duration lookupLease,
    List<String> chains,
    Map<String, ObjectGroups> models,
    KvEventsConfig kvEvents) {

  /** The reply to a client whose value does not fit. */
  public enum OnFullChoice {
    /** Success, as if the value had been evicted immediately. */
    DROP,
    ERROR
  }

  /** The key in the section of a model. */
  private static final String GROUPS = "groups";

  public static final SectionKeys KEYS = new SectionKeys();

  static final ListenConfig.Keys LISTEN = ListenConfig.Keys.of(KEYS, "server", "password", true);
  static final ConfigKey<StrategySettings> USERS = KEYS.fixed("server.users", ValueType.SECTION);
  static final ConfigKey<Optional<Path>> UNIX_SOCKET =
      KEYS.fixed("server.unix-socket", ValueType.OPTIONAL_PATH);
  static final ConfigKey<Optional<Path>> SHARED_MEMORY =
      KEYS.fixed("server.shared-memory", ValueType.OPTIONAL_PATH);

  /** The part of the memory that is of sequences of engines in other processes. */
  public static final String SEQUENCES_PART = "sequences";

  public static final ConfigKey<Long> SEQUENCES =
      KEYS.fixed("server.sequences.memory", ValueType.SIZE_OR_ZERO);
  static final ConfigKey<Long> MAX_VALUE =
      KEYS.fixed("server.max-value", ValueType.sizeUpTo(512L << 20));
  static final ConfigKey<OnFullChoice> ON_FULL =
      KEYS.fixed("server.on-full", ValueType.choice(OnFullChoice.class));
  static final ConfigKey<Integer> THREADS = KEYS.fixed("server.threads", ValueType.integer(1, 256));
  public static final ConfigKey<Duration> LOOKUP_LEASE =
      KEYS.live("server.lookup-lease", ValueType.durationUpTo(Duration.ofMinutes(1)));
  static final ConfigKey<List<String>> CHAINS = KEYS.fixed("server.chains", ValueType.CHAINS);

  public static final ConfigKey<StrategySettings> MODELS =
      KEYS.live("server.models", ValueType.SECTION);

  public ServerConfig {
    users = List.copyOf(users);
    models = Map.copyOf(models);
  }

  public static ServerConfig read(ConfigReader reader) {
    return new ServerConfig(
        LISTEN.read(reader),
        UserConfig.read(reader),
        reader.optionalPath(UNIX_SOCKET),
        reader.optionalPath(SHARED_MEMORY),
        reader.get(SEQUENCES),
        reader.get(MAX_VALUE),
        reader.get(ON_FULL),
        reader.get(THREADS),
        ClientLimits.read(reader),
        reader.get(LOOKUP_LEASE),
        reader.get(CHAINS),
        models(reader),
        KvEventsConfig.read(reader));
  }

  private static Map<String, ObjectGroups> models(ConfigReader reader) {
    Map<String, ObjectGroups> models = new TreeMap<>();
    reader
        .sections(MODELS)
        .forEach((pattern, model) -> {
          // A section is empty once what was set while Ebb ran has been reverted.
          boolean reverted = model.value() instanceof ConfigObject section && section.isEmpty();
          ObjectGroups groups = reverted ? null : reader.read(model, each -> groups(each, reader));
          if (groups != null) {
            models.put(pattern, groups);
          }
        });
    return models;
  }

  private static ObjectGroups groups(Setting model, ConfigReader reader) {
    reader.refuseOthers(model, List.of(GROUPS), any -> "; write names with dots in quotes");
    Setting groups = model.inner(GROUPS);
    if (groups == null) {
      throw model.wrong("needs %s, such as \"state,full\"".formatted(GROUPS));
    }
    try {
      return ObjectGroups.parse("", groups.string());
    } catch (UserError wrong) {
      throw groups.wrong(
          "must be the kinds of its object groups, such as \"full,state\""
              + requireNonNull(wrong.getMessage()));
    }
  }

  /**
   * Returns the address to listen on.
   *
   * @throws UserError if it does not exist, or is open to other machines without a login
   */
  public InetSocketAddress address() {
    return listen.address(listen.secret() != null || !users.isEmpty(), " or " + USERS);
  }
}
