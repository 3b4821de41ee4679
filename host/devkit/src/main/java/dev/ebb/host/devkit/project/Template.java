package dev.ebb.host.devkit.project;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A text with variables in double braces, stored beside this class. */
final class Template {

  private static final Pattern WORD = Pattern.compile("\\{\\{(\\w+)}}");

  private Template() {}

  /**
   * Replaces the variables of a template.
   *
   * @param quote applied to the text between them
   * @throws IllegalArgumentException if the template has an unknown variable
   */
  static String fill(String resource, Map<String, String> words, UnaryOperator<String> quote) {
    String template = read(resource);
    StringBuilder filled = new StringBuilder(template.length());
    Matcher found = WORD.matcher(template);
    int copied = 0;
    while (found.find()) {
      filled.append(quote.apply(template.substring(copied, found.start())));
      filled.append(word(resource, found.group(1), words));
      copied = found.end();
    }
    return filled.append(quote.apply(template.substring(copied))).toString();
  }

  private static String word(String resource, String word, Map<String, String> words) {
    String text = words.get(word);
    if (text == null) {
      throw new IllegalArgumentException(resource + " has {{" + word + "}}");
    }
    return text;
  }

  private static String read(String resource) {
    try (InputStream in =
        requireNonNull(Template.class.getResourceAsStream("template/" + resource), resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
