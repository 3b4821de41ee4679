package dev.ebb.host.config.key;

import dev.ebb.host.config.ConfigKeys;
import java.util.ArrayList;
import java.util.List;

/** The keys that one section declares. */
public final class SectionKeys {

  private final List<ConfigKey<?>> keys = new ArrayList<>();

  /** Begins a key; its path starts below {@code ebb}. */
  public <T> Row<T> key(String path, String standard, ValueType<T> type) {
    return new Row<>(keys, ConfigKeys.ROOT + "." + path, standard, type);
  }

  /** Returns the keys in the order of their declaration. */
  public List<ConfigKey<?>> all() {
    return List.copyOf(keys);
  }

  /** A key without its description. */
  public record Row<T>(List<ConfigKey<?>> keys, String path, String standard, ValueType<T> type) {

    /** Adds a key that can change while Ebb runs. */
    public ConfigKey<T> live(String meaning) {
      return added(new ConfigKey<>(path, standard, type, true, meaning));
    }

    /** Adds a key that needs a restart. */
    public ConfigKey<T> fixed(String meaning) {
      return added(new ConfigKey<>(path, standard, type, false, meaning));
    }

    private ConfigKey<T> added(ConfigKey<T> key) {
      keys.add(key);
      return key;
    }
  }
}
