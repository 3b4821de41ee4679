package dev.ebb.host.devkit.project;

import java.util.Map;
import java.util.stream.Collectors;

/** Texts for Apache Velocity, which processes the templates of Maven's archetypes. */
final class Velocity {

  /** Its special characters, as properties of their own. */
  private static final String CHARACTERS = "#set($HASH='#')#set($DOLLAR='$')#set($BACKSLASH='\\')";

  private Velocity() {}

  /** Quotes a text for a template made by {@link #template}. */
  static String quote(String text) {
    return text.chars()
        .mapToObj(each ->
            switch (each) {
              case '#' -> "${HASH}";
              case '$' -> "${DOLLAR}";
              case '\\' -> "${BACKSLASH}";
              default -> Character.toString(each);
            })
        .collect(Collectors.joining());
  }

  /**
   * Returns a template that selects one of several texts.
   *
   * @param property its value is the key of the text
   * @param texts with references in them, and all else quoted
   */
  static String template(String property, Map<String, String> texts) {
    String first = texts.values().iterator().next();
    if (texts.values().stream().allMatch(first::equals)) {
      return CHARACTERS + first;
    }
    return texts.entrySet().stream()
        .map(each -> "if($%s=='%s')%s".formatted(property, each.getKey(), each.getValue()))
        .collect(Collectors.joining("#else", CHARACTERS + "#", "#{end}"));
  }
}
