package dev.ebb.host.config.hocon;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigOrigin;
import java.io.File;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Formats the origin of a value as {@code file:line}. */
public final class Origins {

  private static final Pattern KEY =
      Pattern.compile(
          ": Key '.*' may not be followed by token: (end of file|'.'|'newline').*", Pattern.DOTALL);
  private static final Pattern HARMLESS = Pattern.compile("'(.?|newline|tab)'");

  private Origins() {}

  public static String where(ConfigOrigin origin) {
    if (origin.filename() != null) {
      return shortened(origin.filename()) + ":" + origin.lineNumber();
    }
    return withoutLine(origin.description());
  }

  /** Returns the origin as the start of a message; empty for a value of the API, or without one. */
  public static String prefix(ConfigOrigin origin) {
    String where = where(origin);
    return where.equals(ConfigOverride.ADMIN) ? "" : UntrustedHocon.place(where);
  }

  /** Returns the library's own message, with its origin in the same format. */
  public static String message(ConfigException error) {
    String message = String.valueOf(error.getMessage());
    boolean quotesText =
        error instanceof ConfigException.Parse
            && !(error instanceof ConfigException.UnresolvedSubstitution);
    return shortened(quotesText ? withoutText(message, error.origin()) : message)
        .replaceFirst("^(.+?): (\\d+): ", "$1:$2: ");
  }

  /** Removes what a message quotes of a file, except single characters: it may be a secret. */
  private static String withoutText(String message, @Nullable ConfigOrigin origin) {
    int start = origin == null ? 0 : Math.min(message.length(), origin.description().length());
    String text = message.substring(start);
    Matcher key = KEY.matcher(text);
    if (key.matches()) {
      return message.substring(0, start)
          + ": a key must be followed by '=', ':' or '{', but this one is followed by "
          + key.group(1)
          + "; add what is missing, or write a text with commas, spaces or braces in double quotes";
    }
    int quote = text.indexOf('\'');
    return quote < 0 || HARMLESS.matcher(text).region(quote, text.length()).lookingAt()
        ? message
        : message.substring(0, start)
            + text.substring(0, quote)
            + "something else; write texts with special characters in double quotes";
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
