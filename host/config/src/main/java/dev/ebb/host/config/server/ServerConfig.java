package dev.ebb.host.config.server;

import static java.util.Objects.requireNonNull;

import com.typesafe.config.ConfigObject;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.Section;
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
    Duration lookupLease,
    List<String> chains,
    Map<String, ObjectGroups> models,
    ClientLimits clients,
    KvEventsConfig kvEvents) {

  /** The reply to a client whose value does not fit. */
  public enum OnFullChoice {
    /** Success, as if the value had been evicted immediately. */
    DROP,
    ERROR
  }

  /** The key in the section of a model. */
  private static final String GROUPS = "groups";

  static final ListenConfig.Keys LISTEN = ListenConfig.Keys.of("server", "password", true);
  static final ConfigKey<StrategySettings> USERS =
      ConfigKey.fixed("server.users", ValueType.SECTION);

  /** The part of the memory that is of sequences of engines in other processes. */
  public static final String SEQUENCES_PART = "sequences";

  public static final ConfigKey<Long> SEQUENCES =
      ConfigKey.fixed("server.sequences.memory", ValueType.SIZE_OR_ZERO);
  public static final ConfigKey<Duration> LOOKUP_LEASE =
      ConfigKey.live("server.lookup-lease", ValueType.durationUpTo(Duration.ofMinutes(1)));
  public static final ConfigKey<StrategySettings> MODELS =
      ConfigKey.live("server.models", ValueType.SECTION);

  public static final Section<ServerConfig> SECTION =
      new Section<>(ServerConfig.class, "server")
          .read(LISTEN::read, LISTEN.all())
          .read(UserConfig::read, USERS)
          .fixed("unix-socket", ValueType.OPTIONAL_PATH)
          .fixed("shared-memory", ValueType.OPTIONAL_PATH)
          .key(SEQUENCES)
          .fixed("max-value", ValueType.sizeUpTo(512L << 20))
          .fixed("on-full", ValueType.choice(OnFullChoice.class))
          .fixed("threads", ValueType.integer(1, 256))
          .key(LOOKUP_LEASE)
          .fixed("chains", ValueType.CHAINS)
          .read(ServerConfig::models, MODELS)
          .section(ClientLimits.SECTION)
          .section(KvEventsConfig.SECTION);

  public ServerConfig {
    users = List.copyOf(users);
    models = Map.copyOf(models);
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
