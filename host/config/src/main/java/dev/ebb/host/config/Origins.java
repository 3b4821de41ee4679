package dev.ebb.host.config;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigOrigin;
import java.io.File;
import java.nio.file.Path;

/** Says where a value stands, as {@code file:line}. */
final class Origins {

  private Origins() {}

  static String where(ConfigOrigin origin) {
    if (origin.filename() != null) {
      return shortened(origin.filename()) + ":" + origin.lineNumber();
    }
    return withoutLine(origin.description());
  }

  /** The library's own message, its place written as ours are. */
  static String message(ConfigException error) {
    return shortened(String.valueOf(error.getMessage()))
        .replaceFirst("^(.+?): (\\d+): ", "$1:$2: ");
  }

  /** A file below the working directory goes by its name from there. */
  private static String shortened(String text) {
    String here = Path.of("").toAbsolutePath() + File.separator;
    return text.startsWith(here) ? text.substring(here.length()) : text;
  }

  /** An option or a variable has but one line. */
  private static String withoutLine(String description) {
    return description.replaceFirst(": \\d+(-\\d+)?$", "");
  }
}
