package dev.ebb.host.config.key;

import dev.ebb.host.config.ConfigKeys;
import java.util.ArrayList;
import java.util.List;

public final class SectionKeys {

  private final List<ConfigKey<?>> keys = new ArrayList<>();

  /** Adds a key that can change while Ebb runs; its path starts below {@code ebb}. */
  public <T> ConfigKey<T> live(String path, ValueType<T> type) {
    return added(path, type, true);
  }

  /** Adds a key that needs a restart; its path starts below {@code ebb}. */
  public <T> ConfigKey<T> fixed(String path, ValueType<T> type) {
    return added(path, type, false);
  }

  private <T> ConfigKey<T> added(String path, ValueType<T> type, boolean live) {
    ConfigKey<T> key = new ConfigKey<>(ConfigKeys.ROOT + "." + path, type, live);
    keys.add(key);
    return key;
  }

  /** Returns the keys in the order of their declaration. */
  public List<ConfigKey<?>> all() {
    return List.copyOf(keys);
  }
}
