package dev.ebb.host.config;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigOrigin;
import java.io.File;
import java.nio.file.Path;

/** Formats the origin of a value as {@code file:line}. */
final class Origins {

  private Origins() {}

  static String where(ConfigOrigin origin) {
    if (origin.filename() != null) {
      return shortened(origin.filename()) + ":" + origin.lineNumber();
    }
    return withoutLine(origin.description());
  }

  /** Returns the library's own message, with its origin in the same format. */
  static String message(ConfigException error) {
    return shortened(String.valueOf(error.getMessage()))
        .replaceFirst("^(.+?): (\\d+): ", "$1:$2: ");
  }

  /** Shortens a file below the working directory to its relative path. */
  static String shortened(String text) {
    String here = Path.of("").toAbsolutePath() + File.separator;
    return text.startsWith(here) ? text.substring(here.length()) : text;
  }

  /** Removes the line of an option or a variable, which has only one. */
  private static String withoutLine(String description) {
    return description.replaceFirst(": \\d+(-\\d+)?$", "");
  }
}
