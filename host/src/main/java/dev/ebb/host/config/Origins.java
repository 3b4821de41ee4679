package dev.ebb.host.config;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigOrigin;

/** Says where a value stands, as {@code file:line}. */
final class Origins {

  private Origins() {}

  static String where(ConfigOrigin origin) {
    if (origin.filename() != null) {
      return origin.filename() + ":" + origin.lineNumber();
    }
    return withoutLine(origin.description());
  }

  /** The library's own message, its place written as ours are. */
  static String message(ConfigException error) {
    return String.valueOf(error.getMessage()).replaceFirst("^(.+?): (\\d+): ", "$1:$2: ");
  }

  /** An option or a variable has but one line. */
  private static String withoutLine(String description) {
    return description.replaceFirst(": \\d+(-\\d+)?$", "");
  }
}
