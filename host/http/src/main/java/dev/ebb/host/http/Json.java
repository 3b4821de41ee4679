package dev.ebb.host.http;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdScalarSerializer;

/**
 * Converts documents to JSON: records by their components in order, and null for unknown values.
 */
public final class Json {

  /** Duplicate properties are rejected because their meaning is ambiguous. */
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .addModule(
              new SimpleModule()
                  .addSerializer(double.class, new KnownNumbers())
                  .addSerializer(Double.class, new KnownNumbers()))
          .build();

  /** Writes null for numbers that are not finite, which JSON cannot represent. */
  private static final class KnownNumbers extends StdScalarSerializer<Double> {

    KnownNumbers() {
      super(Double.class);
    }

    @Override
    public void serialize(Double value, JsonGenerator out, SerializationContext context) {
      if (Double.isFinite(value)) {
        out.writeNumber(value);
      } else {
        out.writeNull();
      }
    }
  }

  private Json() {}

  /** Writes a record, map, list, string, number, flag or node on one line. */
  public static String text(Object document) {
    return MAPPER.writeValueAsString(document);
  }

  /** Returns a number; null if it is not finite, which JSON cannot represent. */
  public static @Nullable Double known(double value) {
    return Double.isFinite(value) ? value : null;
  }

  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Reads a record that {@link #text} wrote; null if the text is not one. */
  public static <T> @Nullable T read(String text, Class<T> type) {
    try {
      return MAPPER.readValue(text, type);
    } catch (JacksonException malformed) {
      return null;
    }
  }

  /**
   * Reads the body of a request.
   *
   * @throws HttpException if it is not JSON
   */
  public static JsonNode parse(byte[] text) {
    try {
      return MAPPER.readTree(text);
    } catch (StreamConstraintsException tooMuch) {
      throw HttpException.bad("the body is nested too deep, or holds a number or name too long");
    } catch (JacksonException malformed) {
      String message = String.valueOf(malformed.getOriginalMessage());
      if (message.startsWith("Duplicate ")) {
        throw HttpException.bad("the body holds a property twice: " + message);
      }
      String shown = new String(text, 0, Math.min(80, text.length), StandardCharsets.UTF_8);
      throw HttpException.bad("the body '%s' is not JSON".formatted(shown.strip()));
    }
  }
}
