package dev.ebb.host.openai;

import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/** Reads and writes the records of this package. Unknown properties are ignored. */
public final class OpenAiJson {

  private static final JsonMapper LENIENT =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .changeDefaultPropertyInclusion(all -> all.withValueInclusion(Include.NON_NULL))
          .build();

  /** Accepts no text as a number, and no number as a text. */
  private static final JsonMapper STRICT =
      LENIENT
          .rebuild()
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .withCoercionConfigDefaults(config ->
              Arrays.stream(CoercionInputShape.values())
                  .forEach(shape -> config.setCoercion(shape, CoercionAction.Fail)))
          .withCoercionConfig(
              LogicalType.Float,
              config -> config.setCoercion(CoercionInputShape.Integer, CoercionAction.TryConvert))
          .build();

  private static final int SHOWN = 80;

  private OpenAiJson() {}

  /** Writes a record on one line. */
  public static String text(Object document) {
    return LENIENT.writeValueAsString(document);
  }

  /** Returns a record as a document. */
  public static JsonNode tree(Object document) {
    return LENIENT.valueToTree(document);
  }

  /**
   * Reads what a server has sent.
   *
   * @throws JacksonException if it is not JSON, or of another form
   */
  public static <T> T answer(String text, Class<T> type) {
    T read = LENIENT.readValue(text, type);
    if (read == null) {
      throw MismatchedInputException.from((JsonParser) null, type, "null is not an answer");
    }
    return read;
  }

  /**
   * Reads what a client has sent.
   *
   * @throws IllegalArgumentException if a property has a wrong type or is out of range; the message
   *     has its name, its value and what is allowed
   */
  public static <T extends Record> T request(JsonNode document, Class<T> type) {
    T read;
    try {
      read = STRICT.treeToValue(document, type);
    } catch (JacksonException wrong) {
      throw new IllegalArgumentException(explained(document, type, wrong), wrong);
    }
    for (RecordComponent component : type.getRecordComponents()) {
      Range range = component.getAnnotation(Range.class);
      if (range != null && value(component, read) instanceof Number number) {
        double value = number.doubleValue();
        if (!(value >= range.least() && value <= range.most())) {
          throw new IllegalArgumentException(
              wrong(name(component), shown(document.get(name(component))), allowed(component)));
        }
      }
    }
    return read;
  }

  private static @Nullable Object value(RecordComponent component, Record read) {
    try {
      return component.getAccessor().invoke(read);
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError(component.toString(), impossible);
    }
  }

  private static String name(RecordComponent component) {
    return component.getName().replaceAll("(?=\\p{Upper})", "_").toLowerCase(Locale.ROOT);
  }

  private static String explained(
      JsonNode document, Class<? extends Record> type, JacksonException wrong) {
    List<JacksonException.Reference> path = wrong.getPath();
    JsonNode value = document;
    StringBuilder name = new StringBuilder();
    for (JacksonException.Reference step : path) {
      String property = step.getPropertyName();
      value = property == null ? value.path(step.getIndex()) : value.path(property);
      name.append(property == null ? "[" + step.getIndex() + "]" : "." + property);
    }
    String allowed =
        Arrays.stream(type.getRecordComponents())
            .filter(each -> path.size() == 1 && name(each).equals(path.get(0).getPropertyName()))
            .findFirst()
            .map(OpenAiJson::allowed)
            .orElseGet(() ->
                allowed(
                    wrong instanceof MismatchedInputException mismatch
                        ? mismatch.getTargetType()
                        : Integer.class));
    return wrong(name.isEmpty() ? "the document" : name.substring(1), shown(value), allowed);
  }

  private static String wrong(String name, String value, String allowed) {
    return "%s = '%s' must be %s".formatted(name, value, allowed);
  }

  private static String allowed(RecordComponent component) {
    Range range = component.getAnnotation(Range.class);
    String kind = allowed(component.getType());
    return range == null
        ? kind
        : "%s from %.0f to %.0f".formatted(kind, range.least(), range.most());
  }

  private static String allowed(@Nullable Class<?> type) {
    if (type == Integer.class || type == Long.class) {
      return "a whole number";
    } else if (type == Double.class) {
      return "a number";
    } else if (type == Boolean.class) {
      return "true or false";
    } else if (type == String.class) {
      return "a text";
    }
    return type != null && Collection.class.isAssignableFrom(type) ? "a list" : "an object";
  }

  /** Returns the beginning of a value, for messages. */
  public static String shown(JsonNode value) {
    String text = value.isString() ? value.stringValue() : value.toString();
    return text.substring(0, Math.min(SHOWN, text.length()));
  }
}
