package dev.ebb.host.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import dev.ebb.host.errors.Foreign;
import dev.ebb.host.errors.UserError;

/**
 * Reads HOCON that an option or a request brings. Such text stands for itself: it includes nothing,
 * and substitutes nothing, neither from the environment nor from itself. So it cannot read files,
 * addresses or variables, and its values are no larger than its text.
 */
public final class UntrustedHocon {

  private final String where;

  private UntrustedHocon(String where) {
    this.where = where;
  }

  /**
   * Reads a text.
   *
   * @param text HOCON without includes and substitutions
   * @param where the option, property or file of the text, for messages
   * @return its values
   * @throws UserError if it includes or substitutes something, or is nested too deep
   * @throws ConfigException if it is not HOCON
   */
  public static Config parse(String text, String where) {
    return new UntrustedHocon(where).read(text);
  }

  private Config read(String text) {
    ConfigParseOptions options =
        ConfigParseOptions.defaults()
            .setOriginDescription(where)
            .setIncluder(new NoIncludes(where));
    return Nesting.bounded(
        where,
        () -> {
          Config parsed = ConfigFactory.parseString(text, options);
          check("", parsed.root());
          return parsed;
        });
  }

  private void check(String path, ConfigValue value) {
    try {
      switch (value) {
        case ConfigObject section ->
            section.forEach((key, inner) -> check(joined(path, key), inner));
        case ConfigList list -> list.forEach(inner -> check(path, inner));
        // Throws for a value that is not known before it is resolved.
        default -> value.valueType();
      }
    } catch (ConfigException.NotResolved substitutes) {
      throw new UserError(
          "%s: '%s' is '%s': ${...} and += are not read here; write the value itself, in double quotes if it is a text with '${' in it"
              .formatted(where, path, shown(value)));
    }
  }

  private static String joined(String path, String key) {
    return (path.isEmpty() ? "" : path + ".") + ConfigUtil.joinPath(key);
  }

  private static String shown(ConfigValue value) {
    return Foreign.line(value.render(ConfigRenderOptions.concise()));
  }
}
