package dev.ebb.host.http;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Documents as JSON: records by their components, in order, and null for what is not known. */
public final class Json {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private Json() {}

  /**
   * Writes a document.
   *
   * @param document a record, map, list, text, number, flag or node
   * @return the text, on one line
   */
  public static String text(Object document) {
    return MAPPER.writeValueAsString(document);
  }

  /**
   * A number as JSON has it.
   *
   * @param value any number
   * @return the same; null if it is not finite
   */
  public static @Nullable Double known(double value) {
    return Double.isFinite(value) ? value : null;
  }

  static JsonNode parse(byte[] text) {
    try {
      return MAPPER.readTree(text);
    } catch (JacksonException malformed) {
      String shown = new String(text, 0, Math.min(80, text.length), StandardCharsets.UTF_8);
      throw HttpFault.bad("the body '%s' is not JSON".formatted(shown.strip()));
    }
  }
}
