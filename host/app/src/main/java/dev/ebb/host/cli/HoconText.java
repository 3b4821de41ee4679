package dev.ebb.host.cli;

import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Values of the configuration as a file would write them, each on one line. */
final class HoconText {

  /** Words, numbers, and a number with its unit need no quotes. */
  private static final Pattern PLAIN = Pattern.compile("[\\p{Alnum}._-]+( [\\p{Alpha}]+)?");

  private HoconText() {}

  /** A value: a list and a section as they are written in a file, all else as it is. */
  static String of(Fields value) {
    return value.node().isContainer() ? element(value) : value.text("");
  }

  /** A value as an element of a list or section: a text in quotes if it needs some. */
  static String element(Fields value) {
    if (value.node().isArray()) {
      return value.list("").stream()
          .map(HoconText::element)
          .collect(Collectors.joining(", ", "[", "]"));
    }
    if (value.node().isObject()) {
      return value.names("").stream()
          .map(name -> name + " = " + element(new Fields(value.node().path(name))))
          .collect(Collectors.joining(", ", "{ ", " }"));
    }
    String text = value.text("");
    return value.node().isString() && !PLAIN.matcher(text).matches()
        ? "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""
        : text;
  }
}
