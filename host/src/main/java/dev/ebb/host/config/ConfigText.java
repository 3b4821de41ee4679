package dev.ebb.host.config;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.ebb.host.errors.UserError;

/** Values as a configuration file writes them. */
public final class ConfigText {

  private ConfigText() {}

  /**
   * Reads one value.
   *
   * @param text HOCON, such as {@code [a, b]} or {@code { a = 1 }}
   * @return a text, number or flag, or a list or map of such
   * @throws UserError if it cannot be read
   */
  public static Object value(String text) {
    try {
      return Nesting.bounded(
          "the value",
          () -> ConfigFactory.parseString("value = " + text).resolve().getAnyRef("value"));
    } catch (ConfigException unreadable) {
      throw new UserError(
          "'%s' cannot be read as a configuration file would: %s"
              .formatted(text, Origins.message(unreadable)));
    }
  }
}
