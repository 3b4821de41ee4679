package dev.ebb.host.cli.output;

import dev.ebb.host.text.Format;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Formats values of the configuration as in a file, each on one line. */
public final class HoconText {

  /** Words, numbers, and a number with its unit need no quotes. */
  private static final Pattern PLAIN = Pattern.compile("[\\p{Alnum}._-]+( [\\p{Alpha}]+)?");

  private HoconText() {}

  /** A value: a list and a section as they are written in a file, all else as it is. */
  public static String of(Object value) {
    return value instanceof List || value instanceof Map ? element(value) : Format.text(value);
  }

  /** A value as an element of a list or section: a text in quotes if it needs some. */
  public static String element(Object value) {
    if (value instanceof List<?> list) {
      return list.stream().map(HoconText::element).collect(Collectors.joining(", ", "[", "]"));
    }
    if (value instanceof Map<?, ?> section) {
      return section.entrySet().stream()
          .map(each -> each.getKey() + " = " + element(each.getValue()))
          .collect(Collectors.joining(", ", "{ ", " }"));
    }
    String text = Format.text(value);
    return value instanceof String && !PLAIN.matcher(text).matches()
        ? "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""
        : text;
  }
}
