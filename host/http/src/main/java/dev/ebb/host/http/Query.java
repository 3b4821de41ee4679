package dev.ebb.host.http;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.units.Percent;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

public final class Query {

  private final Map<String, String> values;

  private final List<Field> fields;

  Query(Map<String, String> values, List<Field> fields) {
    this.values = values;
    this.fields = fields;
  }

  /** Returns a string, decoded; null if it is missing or empty. */
  public @Nullable String text(String name) {
    String value = values.get(name);
    return value == null || value.isEmpty() ? null : Percent.decodeText(value);
  }

  /** Returns a parameter as bytes, decoded; empty if it is missing. */
  public byte[] bytes(String name) {
    return Percent.decode(values.getOrDefault(name, ""));
  }

  /** Returns an integer that has a default. */
  public long integer(String name) {
    return integer(name, requireNonNull(Field.named(name, fields).otherwise()));
  }

  /** Returns an integer in its range, or {@code otherwise} if it is missing. */
  public long integer(String name, long otherwise) {
    Field field = Field.named(name, fields);
    String text = text(name);
    if (text == null) {
      return otherwise;
    }
    try {
      long value = Long.parseLong(text);
      if (field.allows(value)) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // Reported below, like a value out of range.
    }
    throw HttpException.bad(
        "%s = '%s' must be a whole number %s".formatted(name, text, field.range()));
  }
}
