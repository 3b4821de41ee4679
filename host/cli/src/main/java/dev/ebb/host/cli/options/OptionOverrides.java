package dev.ebb.host.cli.options;

import dev.ebb.host.config.hocon.ConfigOverride;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of options, each of which overrides a key of the configuration. */
public final class OptionOverrides {

  private final List<ConfigOverride> values = new ArrayList<>();

  /**
   * Adds an option.
   *
   * @param option its name, for messages
   * @param value null if it is not given
   */
  public OptionOverrides add(String option, String key, @Nullable Object value) {
    if (value != null) {
      values.add(new ConfigOverride(key, value, option));
    }
    return this;
  }

  /** Adds an option without a value, which is true or not given. */
  public OptionOverrides add(String option, String key, boolean given) {
    return add(option, key, given ? Boolean.TRUE : null);
  }

  /** Returns the values of the options that are given. */
  public List<ConfigOverride> given() {
    return values;
  }
}
