package dev.ebb.host.text;

import static java.util.Objects.requireNonNullElse;

import dev.ebb.host.values.Getters;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Lines with the values of a document, written as they are shown.
 *
 * <p>{@code {pool.usedBytes:bytes}} is the value at a path in a format of {@link Format#named};
 * {@code {name,12}} is at least 12 characters wide and aligned right, {@code {name,-12}} left. A
 * part in brackets is left out if one of its values is unknown or empty, or if it has a condition
 * that does not hold: {@code [{?draining}, no more clients]} needs a value that is not null, empty,
 * zero or false, {@code [{!draining}...]} the opposite. A line of which nothing is left is left out
 * too.
 */
public final class TextTemplate<T> {

  private static final Pattern TOKEN =
      Pattern.compile("\\{([?!]?)([\\w.]+)(?:,(-?\\d+))?(?::([^}]+))?}|\\[|]");

  private final List<List<Stretch<T>>> lines;

  private TextTemplate(List<List<Stretch<T>>> lines) {
    this.lines = lines;
  }

  /** The document, and an earlier one that rates are computed from. */
  private record Scope<T>(T now, T before, double seconds) {}

  private sealed interface Piece<T> {}

  private record Literal<T>(String text) implements Piece<T> {}

  private record Condition<T>(Computed<T> value, boolean wanted) implements Piece<T> {
    boolean holds(Scope<T> scope) {
      return Format.isNothing(value.get().apply(scope.now)) != wanted;
    }
  }

  private record Shown<T>(Computed<T> value, int width, Format.Named format) implements Piece<T> {
    String text(Scope<T> scope) {
      Object now = value.get().apply(scope.now);
      Object before = value.get().apply(scope.before);
      return format.text(now, before == null ? now : before, scope.seconds);
    }

    String aligned(String text) {
      String gap = " ".repeat(Math.max(0, Math.abs(width) - text.length()));
      return width > 0 ? gap + text : text + gap;
    }
  }

  /** A stretch of a line, which may be left out. */
  private record Stretch<T>(boolean optional, List<Piece<T>> pieces) {
    String text(Scope<T> scope) {
      boolean conditional = false;
      boolean unknown = false;
      StringBuilder text = new StringBuilder();
      for (Piece<T> piece : pieces) {
        switch (piece) {
          case Literal<T> literal -> text.append(literal.text);
          case Condition<T> condition -> {
            conditional = true;
            if (!condition.holds(scope)) {
              return "";
            }
          }
          case Shown<T> shown -> {
            String value = shown.text(scope);
            unknown |= value.isEmpty() || value.equals(Format.UNKNOWN);
            text.append(shown.aligned(value));
          }
        }
      }
      return optional && unknown && !conditional ? "" : text.toString();
    }
  }

  /** Parses a template of documents, whose methods the paths name, and of computed values. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> TextTemplate<T> of(Class<T> type, String text, Computed<T>... computed) {
    return new TextTemplate<>(
        text.stripTrailing().lines().map(line -> parse(type, line, List.of(computed))).toList());
  }

  private static <T> List<Stretch<T>> parse(
      Class<T> type, String line, List<Computed<T>> computed) {
    List<Stretch<T>> stretches = new ArrayList<>();
    List<Piece<T>> pieces = new ArrayList<>();
    Matcher token = TOKEN.matcher(line);
    int end = 0;
    while (token.find()) {
      pieces.add(new Literal<>(line.substring(end, token.start())));
      end = token.end();
      if (token.group(2) != null) {
        pieces.add(piece(token, value(type, token.group(2), computed)));
      } else {
        stretches.add(new Stretch<>(token.group().equals("]"), List.copyOf(pieces)));
        pieces.clear();
      }
    }
    pieces.add(new Literal<>(line.substring(end)));
    stretches.add(new Stretch<>(false, pieces));
    return stretches;
  }

  private static <T> Computed<T> value(Class<T> type, String path, List<Computed<T>> computed) {
    for (Computed<T> each : computed) {
      if (each.name().equals(path)) {
        return each;
      }
    }
    List<String> names = List.of(path.split("\\.", -1));
    Getters.check(type, names);
    return new Computed<>(path, document -> Getters.value(document, names));
  }

  private static <T> Piece<T> piece(Matcher token, Computed<T> value) {
    if (!token.group(1).isEmpty()) {
      return new Condition<>(value, token.group(1).equals("?"));
    }
    int width = token.group(3) == null ? 0 : Integer.parseInt(token.group(3));
    return new Shown<>(value, width, Format.named(requireNonNullElse(token.group(4), "text")));
  }

  public List<String> lines(T document) {
    return lines(document, document, 0);
  }

  /** Returns the lines of a document, with rates since an earlier one. */
  public List<String> lines(T now, T before, double seconds) {
    Scope<T> scope = new Scope<>(now, before, seconds);
    List<String> texts = new ArrayList<>();
    for (List<Stretch<T>> line : lines) {
      StringBuilder text = new StringBuilder();
      line.forEach(stretch -> text.append(stretch.text(scope)));
      if (!text.isEmpty() || line.size() == 1) {
        texts.add(text.toString().stripTrailing());
      }
    }
    return texts;
  }

  /** Returns the lines of a document, each ended. */
  public String text(T document) {
    return lines(document).stream()
        .map(line -> line + System.lineSeparator())
        .collect(Collectors.joining());
  }

  /** Returns the only line of a document. */
  public String line(T document) {
    return String.join("", lines(document));
  }
}
