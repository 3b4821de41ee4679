package dev.ebb.host.config.hocon;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderClasspath;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigIncluderURL;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.errors.UserError;
import java.io.File;
import java.net.URL;

/**
 * Parses HOCON from an option, a request or a JAR. Such text may not include or substitute
 * anything, neither from the environment nor from itself. So it cannot read files, addresses or
 * variables, and its values are no larger than its text.
 */
public final class UntrustedHocon {

  /** Adding a value to a section takes time in the size of the section, so this bounds the time. */
  static final int MOST_CHARACTERS = 32 * 1024;

  static final int MOST_LEVELS = 64;

  private static final int LONGEST_SHOWN = 100;

  private final String where;

  /** Refuses every include, before anything is read or fetched. */
  private record NoIncludes(String where)
      implements ConfigIncluder, ConfigIncluderFile, ConfigIncluderURL, ConfigIncluderClasspath {

    @Override
    public ConfigIncluder withFallback(ConfigIncluder fallback) {
      return this;
    }

    @Override
    public ConfigObject include(ConfigIncludeContext context, String what) {
      throw refusal(what);
    }

    @Override
    public ConfigObject includeFile(ConfigIncludeContext context, File what) {
      throw refusal(what.toString());
    }

    @Override
    public ConfigObject includeURL(ConfigIncludeContext context, URL what) {
      throw refusal(what.toString());
    }

    @Override
    public ConfigObject includeResources(ConfigIncludeContext context, String what) {
      throw refusal(what);
    }

    private UserError refusal(String what) {
      return new UserError(
          "%sit includes '%s', but includes are not allowed here; copy the content instead"
              .formatted(place(where), UntrustedHocon.brief(what)));
    }
  }

  private UntrustedHocon(String where) {
    this.where = where;
  }

  /**
   * Parses a text.
   *
   * @param text HOCON without includes and substitutions
   * @param where the option, property or file of the text, for messages; empty if the caller adds
   *     it
   * @throws UserError if it includes or substitutes something, is too large or is nested too deep
   * @throws ConfigException if it is not HOCON
   */
  public static Config parse(String text, String where) {
    return new UntrustedHocon(where).read(text);
  }

  /**
   * Parses one value.
   *
   * @param text HOCON, such as {@code [a, b]} or {@code { a = 1 }}
   * @return a text, number or flag, or a list or map of such
   */
  public static Object value(String text) {
    try {
      return parse("value = " + text, "the value").getAnyRef("value");
    } catch (ConfigException unreadable) {
      throw new UserError(
          "'%s' is not valid HOCON: %s".formatted(text, Origins.message(unreadable)));
    }
  }

  private Config read(String text) {
    long characters = text.chars().filter(each -> !Character.isWhitespace(each)).count();
    if (characters > MOST_CHARACTERS) {
      throw new UserError(
          "%sit has '%d' characters without white space, but at most %d are allowed; write fewer or shorter values and comments"
              .formatted(place(where), characters, MOST_CHARACTERS));
    }
    ConfigParseOptions options =
        ConfigParseOptions.defaults()
            .setOriginDescription(where)
            .setIncluder(new NoIncludes(where));
    try {
      Config parsed = ConfigFactory.parseString(text, options);
      check("", parsed.root(), 0);
      return parsed;
    } catch (StackOverflowError endOfStack) {
      // The library follows nesting with the stack, before the levels can be counted.
      throw tooDeep("");
    }
  }

  private void check(String path, ConfigValue value, int level) {
    if (level > MOST_LEVELS) {
      throw tooDeep("'" + brief(path) + "' is ");
    }
    try {
      switch (value) {
        case ConfigObject section ->
            section.forEach((key, inner) -> check(joined(path, key), inner, level + 1));
        case ConfigList list -> list.forEach(inner -> check(path, inner, level + 1));
        // This throws for a value that is not known before it is resolved.
        default -> value.valueType();
      }
    } catch (ConfigException.NotResolved substitutes) {
      throw new UserError(
          "%s'%s' is '%s': ${...} and += are not allowed here; write the value itself, in double quotes if it is a text with '${' in it"
              .formatted(
                  place(where), brief(path), brief(value.render(ConfigRenderOptions.concise()))));
    }
  }

  private UserError tooDeep(String what) {
    return new UserError(
        "%s%snested too deep, at most %d levels are allowed; use fewer levels of sections, lists and keys"
            .formatted(place(where), what, MOST_LEVELS));
  }

  /** Returns what a message starts with: nothing if its caller knows the place. */
  public static String place(String where) {
    return where.isEmpty() ? "" : where + ": ";
  }

  private static String joined(String path, String key) {
    return (path.isEmpty() ? "" : path + ".") + ConfigUtil.joinPath(key);
  }

  /** Leaves room for the rest of a message that is cut after some hundred characters. */
  static String brief(String text) {
    return UntrustedText.line(
        text.length() > LONGEST_SHOWN ? text.substring(0, LONGEST_SHOWN) + "..." : text);
  }
}
