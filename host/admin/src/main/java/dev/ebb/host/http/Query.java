package dev.ebb.host.http;

import dev.ebb.host.units.Percent;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The query parameters of a request, still percent-encoded. */
public final class Query {

  private final Map<String, String> values;

  Query(Map<String, String> values) {
    this.values = values;
  }

  /**
   * Returns a string parameter.
   *
   * @param name the parameter
   * @return its value, decoded; null if it is missing or empty
   */
  public @Nullable String text(String name) {
    String value = values.get(name);
    return value == null || value.isEmpty() ? null : Percent.decodeText(value);
  }

  /**
   * Returns a parameter as bytes.
   *
   * @param name the parameter
   * @return its value, decoded; empty if it is missing
   */
  public byte[] bytes(String name) {
    return Percent.decode(values.getOrDefault(name, ""));
  }

  /**
   * Returns an integer parameter.
   *
   * @param name the parameter
   * @param otherwise its value if it is missing
   * @param min the least value
   * @param max the largest value
   * @throws HttpException if it is not an integer, or out of range
   */
  public long integer(String name, long otherwise, long min, long max) {
    String text = text(name);
    if (text == null) {
      return otherwise;
    }
    try {
      long value = Long.parseLong(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like a value out of range.
    }
    throw HttpException.bad(
        "%s = '%s' must be a whole number from %d to %d".formatted(name, text, min, max));
  }
}
