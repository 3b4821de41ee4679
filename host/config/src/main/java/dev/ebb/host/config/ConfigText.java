package dev.ebb.host.config;

import com.typesafe.config.ConfigException;
import dev.ebb.host.errors.UserError;

/** Parses values in the syntax of a configuration file, without includes and substitutions. */
public final class ConfigText {

  private ConfigText() {}

  /**
   * Parses one value.
   *
   * @param text HOCON, such as {@code [a, b]} or {@code { a = 1 }}
   * @return a text, number or flag, or a list or map of such
   * @throws UserError if it cannot be parsed, or includes or substitutes something
   */
  public static Object value(String text) {
    try {
      return UntrustedHocon.parse("value = " + text, "the value").getAnyRef("value");
    } catch (ConfigException unreadable) {
      throw new UserError(
          "'%s' is not valid HOCON: %s".formatted(text, Origins.message(unreadable)));
    }
  }
}
