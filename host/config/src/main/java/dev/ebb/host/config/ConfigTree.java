package dev.ebb.host.config;

import static java.util.Objects.requireNonNull;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueFactory;
import dev.ebb.host.errors.UserError;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Every active value with its origin, and the way to other values. Immutable. */
public final class ConfigTree {

  private static final Set<String> SECRETS = Set.of("password", "token");

  private static final String TARGET = "ebb.eviction.target";

  private final Config given;
  private final Config reference;
  private final Path home;
  private final Source source;

  /**
   * A tree.
   *
   * @param given what the user says, unknown keys included
   * @param reference every key with its default
   * @param home what relative folders of the defaults start at
   * @param source where the user says it
   */
  ConfigTree(Config given, Config reference, Path home, Source source) {
    this.given = given;
    this.reference = reference;
    this.home = home;
    this.source = source;
  }

  /**
   * Where a configuration comes from.
   *
   * @param file the user's file, whether it exists or not
   * @param reader reads it afresh, with all that goes before it
   */
  record Source(Path file, Supplier<LoadedConfig> reader) {}

  /**
   * The user's file.
   *
   * @return its path, whether it exists or not
   */
  public Path file() {
    return source.file();
  }

  /**
   * Reads the user's file afresh, with what options said when it was first read.
   *
   * @return what it says now, with every mistake in it
   * @throws UserError if it cannot be read or parsed
   */
  public LoadedConfig reread() {
    return source.reader().get();
  }

  /** Reads the tree into records. */
  LoadedConfig load() {
    List<String> problems = new ArrayList<>();
    Config known = UnknownKeys.check(given, reference, problems);
    EbbConfig config = new ConfigReader(known, reference, home, problems).read();
    return new LoadedConfig(config, problems, this);
  }

  /**
   * The configuration with other values in some places.
   *
   * @param overrides the values
   * @return the configuration, with every mistake in it
   */
  public LoadedConfig with(List<ConfigOverride> overrides) {
    Config changed = given;
    for (ConfigOverride override : overrides) {
      changed =
          override.value() == null
              ? changed.withoutPath(override.key())
              : changed.withValue(
                  override.key(),
                  ConfigValueFactory.fromAnyRef(override.value(), override.source()));
    }
    return new ConfigTree(changed, reference, home, source).load();
  }

  /**
   * What the user says of one key, with its place.
   *
   * @param key its full path
   * @return to be said of another tree; without a value if the user says nothing
   */
  public ConfigOverride said(String key) {
    return new ConfigOverride(key, given.hasPath(key) ? given.getValue(key) : null, "");
  }

  /**
   * Every active value. Secrets are not shown.
   *
   * @return by key
   */
  public List<ConfigEntry> entries() {
    Config known = UnknownKeys.check(given, reference, new ArrayList<>());
    List<ConfigEntry> entries = new ArrayList<>();
    walk("", known.withFallback(reference).root(), known, entries);
    if (!known.hasPath(TARGET)) {
      // Its default follows the threshold.
      double target = load().config().eviction().target();
      entries.replaceAll(
          entry -> entry.key().equals(TARGET) ? new ConfigEntry(TARGET, target, null) : entry);
    }
    return List.copyOf(entries);
  }

  private static void walk(
      String path, ConfigObject object, Config known, List<ConfigEntry> entries) {
    new TreeMap<>(object)
        .forEach((name, value) -> {
          String key = path + ConfigUtil.joinPath(name);
          if (value instanceof ConfigObject inner) {
            walk(key + ".", inner, known, entries);
          } else {
            String origin = known.hasPath(key) ? Origins.where(known.getValue(key).origin()) : null;
            entries.add(new ConfigEntry(key, shown(name, value), origin));
          }
        });
  }

  private static Object shown(String name, ConfigValue value) {
    if (SECRETS.contains(name)) {
      return String.valueOf(value.unwrapped()).isEmpty() ? "" : "(set)";
    }
    return value instanceof ConfigList list
        ? list.stream().map(ConfigTree::element).toList()
        : value.unwrapped();
  }

  /** The library forgets in which order a rule was written. */
  private static Object element(ConfigValue value) {
    if (!(value instanceof ConfigObject section)) {
      return value.unwrapped();
    }
    Map<String, Object> shown = new LinkedHashMap<>();
    RuleReader.ORDER.stream()
        .filter(section::containsKey)
        .forEach(key -> shown.put(key, requireNonNull(section.get(key)).unwrapped()));
    new TreeMap<>(section).forEach((key, each) -> shown.putIfAbsent(key, each.unwrapped()));
    return shown;
  }
}
