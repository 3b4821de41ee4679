package dev.ebb.host.config;

import com.typesafe.config.ConfigException;
import dev.ebb.host.errors.UserError;

/** Values as a configuration file writes them, without its includes and substitutions. */
public final class ConfigText {

  private ConfigText() {}

  /**
   * Reads one value.
   *
   * @param text HOCON, such as {@code [a, b]} or {@code { a = 1 }}
   * @return a text, number or flag, or a list or map of such
   * @throws UserError if it cannot be read, includes or substitutes something
   */
  public static Object value(String text) {
    try {
      return UntrustedHocon.parse("value = " + text, "the value").getAnyRef("value");
    } catch (ConfigException unreadable) {
      throw new UserError(
          "'%s' cannot be read as a configuration file would: %s"
              .formatted(text, Origins.message(unreadable)));
    }
  }
}
