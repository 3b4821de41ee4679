package dev.ebb.host.config.server;

import static java.util.Objects.requireNonNull;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.config.key.ValueType;
import dev.ebb.host.config.server.ListenConfig.Secret;
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
 * @param users the users beside {@value UserConfig#DEFAULT}
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

  /** The key in the section of a model. */
  private static final String GROUPS = "groups";

  public static final SectionKeys KEYS = new SectionKeys();

  static final ListenConfig.Keys LISTEN =
      ListenConfig.Keys.withTls(
          KEYS,
          "server",
          "RESP",
          6_380,
          new Secret(
              "password", "Password of the user `default`, for `AUTH` or `HELLO`; empty: none."));
  static final ConfigKey<StrategySettings> USERS =
      KEYS.key("server.users", "{}", ValueType.SECTION)
          .fixed(
              "[Users](security.md#users): `ann { password-hash = \"...\", rights = [read, write],"
                  + " prefixes = [\"ann:\"] }`.");
  static final ConfigKey<Optional<Path>> UNIX_SOCKET =
      KEYS.key("server.unix-socket", "\"\"", ValueType.OPTIONAL_PATH)
          .fixed("Path of a Unix domain socket to listen on as well; empty: none.");
  static final ConfigKey<Optional<Path>> SHARED_MEMORY =
      KEYS.key("server.shared-memory", "\"\"", ValueType.OPTIONAL_PATH)
          .fixed(
              "Folder for the pool as a file that clients of `unix-socket` map, such as `/dev/shm`;"
                  + " empty: none.");

  /** The part of the memory that is of sequences of engines in other processes. */
  public static final String SEQUENCES_PART = "sequences";

  public static final ConfigKey<Long> SEQUENCES =
      KEYS.key("server.sequences.memory", "0 B", ValueType.SIZE_OR_ZERO)
          .fixed(
              "Memory for the sequences of [engines in other processes](engine-clients.md), beside"
                  + " the pool of values. Needs `unix-socket`, and `shared-memory` unless `pool.device` is"
                  + " `cuda`.");
  static final ConfigKey<Long> MAX_VALUE =
      KEYS.key("server.max-value", "512 MiB", ValueType.sizeUpTo(512L << 20))
          .fixed("Largest value of a client.");
  static final ConfigKey<OnFullChoice> ON_FULL =
      KEYS.key("server.on-full", "drop", ValueType.choice(OnFullChoice.class))
          .fixed("Reply if a value does not fit: `drop` (`+OK`, not stored) or `error` (`-OOM`).");
  static final ConfigKey<Integer> THREADS =
      KEYS.key("server.threads", "2", ValueType.integer(1, 256))
          .fixed("Event loops that serve connections.");
  public static final ConfigKey<Duration> LOOKUP_LEASE =
      KEYS.key("server.lookup-lease", "5 s", ValueType.durationUpTo(Duration.ofMinutes(1)))
          .live(
              "How long a value that `EXISTS` found is not evicted, unless it is read before; `0 s`"
                  + " for no leases.");
  static final ConfigKey<List<String>> CHAINS =
      KEYS.key("server.chains", "auto", ValueType.CHAINS)
          .fixed(
              "Keys whose [order in prompts](lmcache.md#chains) Ebb learns: `auto` for those of"
                  + " LMCache and SGLang, `off` for none, a pattern for whole keys (`*` for all),"
                  + " or a list of these.");

  public static final ConfigKey<StrategySettings> MODELS =
      KEYS.key("server.models", "{}", ValueType.SECTION)
          .live(
              "The object groups of [hybrid models](hybrid-models.md), in the order of"
                  + " their numbers, by a name or a pattern of names: `\"Qwen/Qwen3.5-*\" {"
                  + " groups = \"state,full\" }`.");

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
    new TreeMap<>(reader.get(MODELS).tree())
        .forEach((pattern, value) -> {
          Setting model = new Setting(MODELS + "." + ConfigUtil.joinPath(pattern), value);
          // A section is empty once what was set while Ebb ran has been reverted.
          boolean reverted = value instanceof ConfigObject section && section.isEmpty();
          ObjectGroups groups = reverted ? null : reader.read(model, each -> groups(each, reader));
          if (groups != null) {
            models.put(pattern, groups);
          }
        });
    return models;
  }

  private static ObjectGroups groups(Setting model, ConfigReader reader) {
    ConfigObject section = (ConfigObject) model.value();
    reader.refuseOthers(model, List.of(GROUPS), any -> "; write names with dots in quotes");
    ConfigValue value = section.get(GROUPS);
    if (value == null) {
      throw model.wrong("needs %s, such as \"state,full\"".formatted(GROUPS));
    }
    Setting groups = new Setting(model.path() + "." + GROUPS, value);
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
