package dev.ebb.host.config.key;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import dev.ebb.host.config.hocon.Origins;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.units.ByteSize;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A strategy's settings, read from the configuration. It records the keys that were read, so that
 * unknown ones can be reported.
 */
public final class ConfiguredSettings implements Settings {

  private final String path;
  private final Config config;
  private final Config defaults;
  private final Set<String> declared;
  private final Map<String, SettingValue> asked = new TreeMap<>();
  private final Map<String, List<String>> choices = new TreeMap<>();
  private @Nullable String rejected;

  /**
   * Creates the settings of one instance.
   *
   * @param path their section, for messages: {@code ebb.eviction.policies.lfu}
   * @param config the user's settings over the plugin's defaults
   * @param defaults the plugin's defaults; their keys are known even if never read
   */
  public ConfiguredSettings(String path, Config config, Config defaults) {
    this.path = path;
    this.config = config;
    this.defaults = defaults;
    this.declared = new TreeSet<>(defaults.root().keySet());
  }

  @Override
  public String string(String key, String defaultValue) {
    return read(key, defaultValue, Setting::string);
  }

  /**
   * Returns a text that may also be written as a list.
   *
   * @throws dev.ebb.spi.SettingException if it is neither
   */
  public String joined(String key, String defaultValue) {
    return read(key, defaultValue, Setting::joined);
  }

  /** Returns the origin of a value and its key, for messages: {@code ebb.conf:3: ebb.a.key}. */
  public String place(String key) {
    ConfigValue value = config.root().get(key);
    String full = path + "." + key;
    return value == null ? full : Origins.prefix(value.origin()) + full;
  }

  @Override
  public long integer(String key, long defaultValue, long min, long max) {
    return read(key, defaultValue, setting -> setting.integer(min, max));
  }

  @Override
  public double number(String key, double defaultValue, double min, double max) {
    return read(key, defaultValue, setting -> setting.number(min, max));
  }

  @Override
  public boolean flag(String key, boolean defaultValue) {
    return read(key, defaultValue, Setting::flag);
  }

  @Override
  public long bytes(String key, long defaultValue, long min, long max) {
    return read(key, defaultValue, setting -> setting.bytes(min, max), ByteSize::exact);
  }

  @Override
  public Duration duration(String key, Duration defaultValue, Duration min, Duration max) {
    return read(key, defaultValue, setting -> setting.duration(min, max));
  }

  @Override
  public <E extends Enum<E>> E choice(String key, E defaultValue) {
    choices.put(
        key,
        Arrays.stream(defaultValue.getDeclaringClass().getEnumConstants())
            .map(Setting::name)
            .toList());
    return read(key, defaultValue, setting -> setting.choice(defaultValue.getDeclaringClass()));
  }

  /** Returns the key of the last wrong value; null if there was none. */
  public @Nullable String rejected() {
    return rejected;
  }

  /** Returns the settings that were read, by key. */
  public List<SettingValue> asked() {
    return List.copyOf(asked.values());
  }

  /** Returns the allowed values of each setting that was read as a choice, by key. */
  public Map<String, List<String>> choices() {
    return Map.copyOf(choices);
  }

  /** Returns the keys that were configured but never read. */
  public List<String> unknown(String owner) {
    return new TreeMap<>(config.root())
        .entrySet().stream()
            .filter(entry -> !declared.contains(entry.getKey()))
            .map(entry -> unknown(owner, entry.getKey(), entry.getValue()))
            .toList();
  }

  private String unknown(String owner, String key, ConfigValue value) {
    return "%sunknown setting '%s'%s for %s; %s"
        .formatted(
            Origins.prefix(value.origin()),
            key,
            Suggestions.hint(key, declared),
            owner,
            declared.isEmpty() ? "it has no settings" : "allowed: " + String.join(", ", declared));
  }

  private <T> T read(String key, T defaultValue, Function<Setting, T> reading) {
    return read(key, defaultValue, reading, SettingValue::plain);
  }

  private <T> T read(
      String key, T defaultValue, Function<Setting, T> reading, Function<T, Object> plain) {
    declared.add(key);
    Object standard = plain.apply(defaultValue);
    ConfigValue value = config.root().get(key);
    if (value == null || value.valueType() == ConfigValueType.NULL) {
      asked.put(key, new SettingValue(key, standard, standard));
      return defaultValue;
    }
    try {
      T read = reading.apply(new Setting(path + "." + key, value));
      Object otherwise = documented(key, reading.andThen(plain), standard);
      asked.put(key, new SettingValue(key, plain.apply(read), otherwise));
      return read;
    } catch (SettingException wrong) {
      rejected = key;
      throw wrong;
    }
  }

  /** Returns the plugin's default, or the given one if that is wrong. */
  private Object documented(String key, Function<Setting, Object> reading, Object standard) {
    ConfigValue documented = defaults.root().get(key);
    if (documented == null) {
      return standard;
    }
    try {
      return reading.apply(new Setting(path + "." + key, documented));
    } catch (SettingException overridden) {
      return documented.unwrapped();
    }
  }
}
