package dev.ebb.host.config.key;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import dev.ebb.host.config.ConfigKeys;
import dev.ebb.host.errors.UserError;
import dev.ebb.spi.SettingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads keys. A wrong value becomes a problem and is replaced by its default. */
public final class ConfigReader {

  private final Config user;
  private final Path home;
  private final List<String> problems;
  private final Map<ConfigKey<?>, Object> values = new HashMap<>();

  public ConfigReader(Config user, Path home, List<String> problems) {
    this.user = user;
    this.home = home;
    this.problems = problems;
  }

  public void problem(String problem) {
    problems.add(problem);
  }

  /**
   * Reports the keys of a section that it must not have.
   *
   * @param remedy returns what is added to the message of a key with a value
   */
  public void refuseOthers(
      Setting section, List<String> allowed, Function<ConfigValue, String> remedy) {
    ((ConfigObject) section.value())
        .forEach((key, value) -> {
          if (!allowed.contains(key)) {
            problem(
                section.inner(key, value).unknown("; allowed: " + allowed + remedy.apply(value)));
          }
        });
  }

  /** Returns the sections whose names users choose, by name. */
  public SortedMap<String, Setting> sections(ConfigKey<StrategySettings> key) {
    SortedMap<String, Setting> sections = new TreeMap<>();
    Setting all = setting(key);
    ((ConfigObject) all.value())
        .forEach((name, section) -> sections.put(name, all.inner(name, section)));
    return sections;
  }

  public boolean isSet(ConfigKey<?> key) {
    return user.hasPath(key.path());
  }

  public Setting setting(ConfigKey<?> key) {
    return new Setting(key.path(), (isSet(key) ? user : ConfigKeys.DEFAULTS).getValue(key.path()));
  }

  /** Returns the value of a key, and reports it once if it is wrong. */
  @SuppressWarnings("unchecked")
  public <T> T get(ConfigKey<T> key) {
    return (T)
        values.computeIfAbsent(
            key,
            _ -> {
              T value = read(setting(key), key.type().reading());
              return value == null ? key.defaultValue() : value;
            });
  }

  /** Returns the value of a key as a record has it: null for nothing, and resolved paths. */
  @Nullable Object component(ConfigKey<?> key) {
    return switch (get(key)) {
      case Optional<?> value -> value.map(this::resolved).orElse(null);
      case List<?> elements -> elements.stream().map(this::resolved).toList();
      case String secret when key.isSecret() && secret.isEmpty() -> null;
      case Object value -> resolved(value);
    };
  }

  private Object resolved(Object value) {
    return value instanceof Path path ? home.resolve(path).normalize() : value;
  }

  /** Returns the file and line that set a key; null if it has its default. */
  public @Nullable String where(ConfigKey<?> key) {
    return isSet(key) ? setting(key).where() : null;
  }

  public @Nullable Path optionalPath(ConfigKey<Optional<Path>> key) {
    return (Path) component(key);
  }

  public @Nullable String secret(ConfigKey<String> key) {
    return (String) component(key);
  }

  /** Reads the elements of a list, without the wrong ones. */
  public <T> List<T> each(ConfigKey<List<Setting>> key, Function<Setting, T> reading) {
    List<T> values = new ArrayList<>();
    for (Setting element : get(key)) {
      T value = read(element, reading);
      if (value != null) {
        values.add(value);
      }
    }
    return values;
  }

  public <T> @Nullable T read(Setting setting, Function<Setting, T> reading) {
    return read(setting, reading, problems);
  }

  /** Reads a value; null, and a problem, if it is wrong. */
  public static <T> @Nullable T read(
      Setting setting, Function<Setting, T> reading, List<String> problems) {
    try {
      return reading.apply(setting);
    } catch (SettingException wrong) {
      problems.add(String.valueOf(wrong.getMessage()));
    } catch (UserError several) {
      problems.addAll(several.messages());
    }
    return null;
  }
}
