package dev.ebb.host.config;

import static java.util.Objects.requireNonNull;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.config.hocon.Origins;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.Secrets;
import dev.ebb.host.config.key.UnknownKeys;
import dev.ebb.host.config.rules.RuleReader;
import dev.ebb.host.errors.UserError;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Every active value with its origin, and the way to change values. Immutable. */
public final class ConfigTree {

  private static final String TARGET = EvictionConfig.TARGET.path();

  private final Config configured;
  private final Path home;
  private final Source source;

  /** Read at the first use. */
  private volatile @Nullable List<ConfigEntry> entries;

  /**
   * Creates a tree.
   *
   * @param configured the user's values, unknown keys included
   * @param home the base of relative folders of the defaults
   */
  ConfigTree(Config configured, Path home, Source source) {
    this.configured = configured;
    this.home = home;
    this.source = source;
  }

  /**
   * The source of a configuration.
   *
   * @param reader reads it again, with all overrides
   */
  record Source(Path file, Supplier<LoadedConfig> reader) {}

  /** Returns the user's file, whether it exists or not. */
  public Path file() {
    return source.file();
  }

  /**
   * Reads the user's file again, with the options of the first time.
   *
   * @throws UserError if it cannot be read or parsed
   */
  public LoadedConfig reread() {
    return source.reader().get();
  }

  LoadedConfig load() {
    List<String> problems = new ArrayList<>();
    Config known = UnknownKeys.check(configured, problems);
    EbbConfig config = EbbConfig.SECTION.read(new ConfigReader(known, home, problems));
    return new LoadedConfig(config, problems, this);
  }

  /** Returns the configuration with other values in some places. */
  public LoadedConfig with(List<ConfigOverride> overrides) {
    return changed(overrides).load();
  }

  /**
   * Returns the configuration with another policy and some of its settings, without reading the
   * other values again. The settings themselves are not checked.
   */
  public LoadedConfig with(EbbConfig config, PolicySpec wanted, String source) {
    return new LoadedConfig(
        config.with(wanted, source), List.of(), changed(wanted.overrides(source)));
  }

  private ConfigTree changed(List<ConfigOverride> overrides) {
    Config changed = configured;
    for (ConfigOverride override : overrides) {
      changed =
          override.value() == null
              ? changed.withoutPath(override.key())
              : changed.withValue(override.key(), override.configValue());
    }
    return new ConfigTree(changed, home, source);
  }

  /** Returns the value of one key, given or default, as it is shown; empty if there is none. */
  public Object value(String key) {
    Config from = configured.hasPath(key) ? configured : ConfigKeys.DEFAULTS;
    return from.hasPath(key) ? shown(key, from.getValue(key)) : "";
  }

  /**
   * Returns the user's value of one key, with its origin.
   *
   * @return an override for another tree; without a value if the user has not set it
   */
  public ConfigOverride configured(String key) {
    return new ConfigOverride(key, configured.hasPath(key) ? configured.getValue(key) : null, "");
  }

  /** Returns every active value, sorted by key, without secrets. */
  public List<ConfigEntry> entries() {
    List<ConfigEntry> read = entries;
    if (read == null) {
      read = read();
      entries = read;
    }
    return read;
  }

  private List<ConfigEntry> read() {
    Config known = UnknownKeys.check(configured, new ArrayList<>());
    List<ConfigEntry> entries = new ArrayList<>();
    walk("", known.withFallback(ConfigKeys.DEFAULTS).root(), known, entries);
    if (!known.hasPath(TARGET)) {
      // Its default follows the threshold.
      ConfigReader reader = new ConfigReader(known, home, new ArrayList<>());
      double target = EvictionConfig.target(reader);
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
            entries.add(new ConfigEntry(key, shown(key, value), origin));
          }
        });
  }

  private static Object shown(String key, ConfigValue value) {
    if (Secrets.is(key)) {
      return Secrets.state(value.unwrapped());
    }
    return value instanceof ConfigList list
        ? list.stream().map(ConfigTree::element).toList()
        : value.unwrapped();
  }

  /** Returns an element; the library does not keep the order of a rule's keys. */
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
