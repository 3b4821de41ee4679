package dev.ebb.host.replay.suite;

import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.DoubleConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads a section of a suite. Messages name the file and the line. */
final class SuiteSection {

  private final String file;
  private final ConfigObject section;

  /**
   * Creates a reader.
   *
   * @throws UserError if the section has another key
   */
  SuiteSection(String file, ConfigObject section, Set<String> keys) {
    this.file = file;
    this.section = section;
    for (String key : new TreeSet<>(section.keySet())) {
      if (!keys.contains(key)) {
        throw wrong(
            section.get(key),
            "unknown key '%s'%s, allowed are %s"
                .formatted(key, Suggestions.hint(key, keys), new TreeSet<>(keys)));
      }
    }
  }

  boolean has(String key) {
    return section.containsKey(key);
  }

  String text(String key, String otherwise) {
    ConfigValue value = section.get(key);
    if (value == null) {
      return otherwise;
    }
    if (value.unwrapped() instanceof String || value.unwrapped() instanceof Number) {
      return String.valueOf(value.unwrapped());
    }
    throw wrong(value, "%s is '%s', must be a text".formatted(key, rendered(value)));
  }

  long whole(String key, long otherwise, long least, long most) {
    ConfigValue value = section.get(key);
    if (value == null) {
      return otherwise;
    }
    if (value.unwrapped() instanceof Number number
        && number.doubleValue() == number.longValue()
        && number.longValue() >= least
        && number.longValue() <= most) {
      return number.longValue();
    }
    throw wrong(
        value,
        "%s is '%s', must be a whole number from %d to %d"
            .formatted(key, rendered(value), least, most));
  }

  /** Passes a number on, if it is given. */
  void number(String key, DoubleConsumer given) {
    ConfigValue value = section.get(key);
    if (value == null) {
      return;
    }
    if (!(value.unwrapped() instanceof Number number)) {
      throw wrong(value, "%s is '%s', must be a number".formatted(key, rendered(value)));
    }
    given.accept(number.doubleValue());
  }

  /** Returns the elements of a list; a single value is a list of one. */
  List<ConfigValue> list(String key) {
    ConfigValue value = section.get(key);
    if (value == null) {
      return List.of();
    }
    return value instanceof ConfigList list ? List.copyOf(list) : List.of(value);
  }

  /**
   * Converts a value, and adds its place to the message of what it throws.
   *
   * @throws UserError if it is wrong
   */
  <T> T at(@Nullable ConfigValue value, Function<String, T> reading) {
    if (value != null
        && !(value.unwrapped() instanceof String)
        && !(value.unwrapped() instanceof Number)) {
      throw wrong(value, "'%s' must be a text".formatted(rendered(value)));
    }
    try {
      return reading.apply(value == null ? "" : String.valueOf(value.unwrapped()));
    } catch (UserError error) {
      throw wrong(value, String.join("; ", error.messages()).replaceFirst("^--", ""));
    }
  }

  <T> T at(String key, String otherwise, Function<String, T> reading) {
    ConfigValue value = section.get(key);
    return value == null ? reading.apply(otherwise) : at(value, reading);
  }

  UserError wrong(@Nullable ConfigValue value, String problem) {
    int line = (value == null ? section.origin() : value.origin()).lineNumber();
    return new UserError(
        line < 1 ? "%s: %s".formatted(file, problem) : "%s:%d: %s".formatted(file, line, problem));
  }

  private static String rendered(ConfigValue value) {
    String text = String.valueOf(value.unwrapped());
    return text.length() > 40 ? text.substring(0, 40) + "..." : text;
  }
}
