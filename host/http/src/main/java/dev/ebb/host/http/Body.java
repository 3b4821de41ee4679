package dev.ebb.host.http;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The JSON object in a request body, parsed without type conversion: a string is never accepted as
 * a number.
 */
public final class Body {

  private final JsonNode object;

  private final List<Field> fields;

  private Body(JsonNode object, List<Field> fields) {
    this.object = object;
    this.fields = fields;
  }

  static Body of(byte[] text, List<Field> fields) {
    List<String> allowed = Field.names(fields);
    JsonNode node = Json.parse(text);
    if (!node.isObject()) {
      throw HttpException.bad("the body must be a JSON object with %s".formatted(allowed));
    }
    for (String name : node.propertyNames()) {
      if (!allowed.contains(name)) {
        throw HttpException.bad("unknown property '%s'; allowed: %s".formatted(name, allowed));
      }
    }
    return new Body(node, fields);
  }

  /** Returns whether a property exists and is not null. */
  public boolean has(String name) {
    return object.hasNonNull(name);
  }

  /** Returns a property without conversion; null if it is missing. */
  public @Nullable JsonNode node(String name) {
    return has(name) ? object.get(name) : null;
  }

  /** Returns a required string, or refuses the request. */
  public String text(String name) {
    JsonNode value = required(name);
    if (!value.isString()) {
      throw wrong(name, value, "must be a text");
    }
    return value.stringValue();
  }

  /** Returns a required integer in its range, or refuses the request. */
  public long integer(String name) {
    Field field = Field.named(name, fields);
    JsonNode value = required(name);
    if (!value.isIntegralNumber()
        || !value.canConvertToLong()
        || !field.allows(value.longValue())) {
      throw wrong(name, value, "must be a whole number " + field.range());
    }
    return value.longValue();
  }

  /** Returns a required number in its range, or refuses the request. */
  public double number(String name) {
    Field field = Field.named(name, fields);
    double min = requireNonNull(field.min()).doubleValue();
    double max = requireNonNull(field.max()).doubleValue();
    JsonNode value = required(name);
    if (!value.isNumber() || value.doubleValue() < min || value.doubleValue() > max) {
      throw wrong(name, value, "must be a number from %s to %s".formatted(min, max));
    }
    return value.doubleValue();
  }

  /** Returns a boolean, or {@code otherwise} if it is missing. */
  public boolean flag(String name, boolean otherwise) {
    JsonNode value = node(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isBoolean()) {
      throw wrong(name, value, "must be true or false");
    }
    return value.booleanValue();
  }

  /** Returns the strings of a required list, or refuses the request: it must be {@code what}. */
  public List<String> texts(String name, String what) {
    return list(name, what, each -> each.isString() && !each.stringValue().isEmpty())
        .map(JsonNode::stringValue)
        .toList();
  }

  /** Returns the integers of a required list, at least {@code min}. */
  public int[] integers(String name, int min, String what) {
    return list(
            name,
            what,
            each -> each.isIntegralNumber() && each.canConvertToInt() && each.intValue() >= min)
        .mapToInt(JsonNode::intValue)
        .toArray();
  }

  /**
   * Returns the numbers of 64 bits of a required list; those without a sign may be negative here.
   */
  public long[] longs(String name, String what) {
    return list(
            name,
            what,
            each ->
                each.isIntegralNumber()
                    && each.bigIntegerValue().bitLength()
                        <= (each.bigIntegerValue().signum() < 0 ? Long.SIZE - 1 : Long.SIZE))
        .mapToLong(each -> each.bigIntegerValue().longValue())
        .toArray();
  }

  private Stream<JsonNode> list(String name, String what, Predicate<JsonNode> allowed) {
    JsonNode list = node(name);
    if (list == null || !list.isArray()) {
      throw HttpException.bad("'%s' must be %s".formatted(name, what));
    }
    if (list.isEmpty()) {
      throw HttpException.bad("'%s' is empty; it must be %s".formatted(name, what));
    }
    list.valueStream()
        .filter(allowed.negate())
        .findFirst()
        .ifPresent(wrong -> {
          throw HttpException.bad("'%s' must be %s, not '%s'".formatted(name, what, shown(wrong)));
        });
    return list.valueStream();
  }

  private JsonNode required(String name) {
    JsonNode value = node(name);
    if (value == null) {
      throw HttpException.bad("the property '%s' is missing".formatted(name));
    }
    return value;
  }

  private static HttpException wrong(String name, JsonNode value, String what) {
    return HttpException.bad("%s = '%s' %s".formatted(name, shown(value), what));
  }

  private static String shown(JsonNode value) {
    return value.isString() ? value.stringValue() : value.toString();
  }
}
