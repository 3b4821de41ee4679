package dev.ebb.host.htmlreport;

import dev.ebb.host.values.Getters;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** A JSON object, whose fields have the order in which they were added. Unknown values are null. */
public final class JsonFields {

  private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

  /** Adds a text, a flag, a number or a list of these. */
  public JsonFields put(String name, @Nullable Object value) {
    fields.put(name, value instanceof JsonFields object ? object.fields : value);
    return this;
  }

  /** Adds a number; null if it is not finite. */
  public JsonFields number(String name, double value) {
    return put(name, known(value));
  }

  /**
   * Adds values of an object by the names of its methods; null for numbers that are not finite and
   * negative counts.
   *
   * @param names separated by spaces; {@code field=method} if the field has another name
   */
  public JsonFields values(Object of, String names) {
    for (String name : names.split(" ", -1)) {
      String[] both = name.split("=", 2);
      put(both[0], value(of, both[both.length - 1]));
    }
    return this;
  }

  /** Makes fields null. */
  public JsonFields unknown(String names) {
    for (String name : names.split(" ", -1)) {
      put(name, null);
    }
    return this;
  }

  private static @Nullable Object value(Object of, String name) {
    return switch (Getters.value(of, List.of(name))) {
      case Double number -> known(number);
      case Long count when count < 0 -> null;
      case Integer count when count < 0 -> null;
      case Enum<?> constant -> constant.toString();
      case null -> null;
      case Object value -> value;
    };
  }

  public <T> JsonFields list(String name, List<T> elements, Function<T, JsonFields> object) {
    return put(name, elements.stream().map(each -> object.apply(each).fields).toList());
  }

  public JsonFields numbers(String name, double... values) {
    return put(name, Arrays.stream(values).mapToObj(JsonFields::known).toList());
  }

  public static @Nullable Double known(double value) {
    return Double.isFinite(value) ? value : null;
  }

  @Override
  public String toString() {
    return JsonMapper.shared().writeValueAsString(fields);
  }

  public String indented() {
    return JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(fields);
  }
}
