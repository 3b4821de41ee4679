package dev.ebb.host.cli;

import dev.ebb.host.units.ByteSize;
import dev.ebb.host.units.TimeSpan;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A document of the server, its values written for people. What is not known, or what a server of
 * another version does not say, is a dash.
 *
 * @param node the document, or a part of it
 */
record Fields(JsonNode node) {

  static final String UNKNOWN = "-";

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

  /** A document that this process has written. */
  static Fields parse(String json) {
    return new Fields(JSON.readTree(json));
  }

  /** A document of names and values by turns. */
  static String json(Object... pairs) {
    Map<String, Object> document = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      document.put(String.valueOf(pairs[i]), pairs[i + 1]);
    }
    return JSON.writeValueAsString(document);
  }

  /** Whether there is a value. A pointer is written {@code /pool/usedBytes}. */
  boolean has(String pointer) {
    JsonNode value = node.at(pointer);
    return !value.isMissingNode() && !value.isNull();
  }

  /** A text, safe for a terminal. */
  String text(String pointer) {
    if (!has(pointer)) {
      return UNKNOWN;
    }
    JsonNode value = node.at(pointer);
    return KeyText.printable(value.isString() ? value.stringValue() : value.toString());
  }

  /** The text as it is; empty if there is none. */
  String raw(String pointer) {
    return node.at(pointer).asString("");
  }

  double number(String pointer) {
    JsonNode value = node.at(pointer);
    return value.isNumber() ? value.doubleValue() : Double.NaN;
  }

  boolean flag(String pointer) {
    return node.at(pointer).asBoolean(false);
  }

  String count(String pointer) {
    double value = number(pointer);
    return Double.isNaN(value) ? UNKNOWN : String.format(Locale.ROOT, "%,.0f", value);
  }

  /** A count with its noun. */
  String count(String pointer, String one, String many) {
    return count(pointer) + " " + (number(pointer) == 1 ? one : many);
  }

  String bytes(String pointer) {
    double value = number(pointer);
    return Double.isNaN(value) ? UNKNOWN : ByteSize.format((long) value);
  }

  /** A ratio as percent. */
  String percent(String pointer) {
    double value = number(pointer);
    return Double.isNaN(value) ? UNKNOWN : String.format(Locale.ROOT, "%.1f %%", 100 * value);
  }

  String decimal(String pointer) {
    double value = number(pointer);
    return Double.isNaN(value) ? UNKNOWN : String.format(Locale.ROOT, "%.4g", value);
  }

  String seconds(String pointer) {
    double value = number(pointer);
    return Double.isNaN(value) ? UNKNOWN : TimeSpan.format(value);
  }

  /** A moment as this machine's clock shows it. */
  String moment(String pointer) {
    try {
      return CLOCK.format(Instant.parse(raw(pointer)).atZone(ZoneId.systemDefault()));
    } catch (DateTimeParseException unknown) {
      return UNKNOWN;
    }
  }

  /** How long from now to a moment. */
  String until(String pointer) {
    try {
      Duration left = Duration.between(Instant.now(), Instant.parse(raw(pointer)));
      return left.isNegative() ? "now" : TimeSpan.format(left.toMillis() / 1e3);
    } catch (DateTimeParseException unknown) {
      return UNKNOWN;
    }
  }

  /** A key, percent-encoded in the document, as the user would type it. */
  String key(String pointer) {
    return has(pointer) ? KeyText.ofDocument(raw(pointer)).toString() : UNKNOWN;
  }

  /** The elements of a list; none if there is no list. */
  List<Fields> list(String pointer) {
    JsonNode value = node.at(pointer);
    return value.isArray()
        ? StreamSupport.stream(value.spliterator(), false).map(Fields::new).toList()
        : List.of();
  }

  /** The names of an object's values, in the document's order. */
  List<String> names(String pointer) {
    return List.copyOf(node.at(pointer).propertyNames());
  }

  Fields in(String pointer) {
    return new Fields(node.at(pointer));
  }
}
