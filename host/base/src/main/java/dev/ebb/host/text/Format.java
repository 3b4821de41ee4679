package dev.ebb.host.text;

import dev.ebb.host.units.ByteSize;
import dev.ebb.host.units.Plural;
import dev.ebb.host.units.TimeSpan;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Values of documents for a terminal. An unknown value is a dash. */
public final class Format {

  public static final String UNKNOWN = "-";
  private static final int BAR = 30;

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

  private Format() {}

  /** The lines of several parts, an empty line between two. */
  public static <T> List<String> sections(List<T> parts, Function<T, List<String>> lines) {
    List<String> all = new ArrayList<>();
    for (T part : parts) {
      if (!all.isEmpty()) {
        all.add("");
      }
      all.addAll(lines.apply(part));
    }
    return all;
  }

  /** A format of a {@link TextTemplate}; counters have an earlier value too. */
  interface Named {
    String text(@Nullable Object now, @Nullable Object before, double seconds);
  }

  /**
   * Returns a format of values of templates: {@code text}, {@code count}, {@code bytes}, {@code
   * percent} or {@code points} of a ratio, {@code bar} of a ratio, {@code decimal}, {@code number},
   * {@code seconds}, {@code moment}, {@code until} or {@code key}, as the methods here; {@code
   * entry|entries}, a count with its noun; {@code %.3f} for a number, and {@code %.1f %%} for a
   * ratio; {@code rate}, the growth of a counter in a second, {@code rated}, the counter and its
   * growth, and {@code recent}, the share of a {@link Ratio} since the earlier document.
   */
  static Named named(String name) {
    return switch (name) {
      case "rate" -> (now, before, seconds) -> rate((Number) now, (Number) before, seconds);
      case "rated" -> (now, before, seconds) -> rated((Number) now, (Number) before, seconds);
      case "recent" -> (now, before, seconds) -> recent((Ratio) now, (Ratio) before);
      default -> {
        Function<@Nullable Object, String> format = format(name);
        yield (now, before, seconds) -> format.apply(now);
      }
    };
  }

  private static Function<@Nullable Object, String> format(String name) {
    if (name.startsWith("%")) {
      int factor = name.endsWith("%%") ? 100 : 1;
      return value -> of(name, (Number) value, factor);
    }
    if (name.contains("|")) {
      String[] nouns = name.split("\\|", 2);
      return value -> count((Number) value, nouns[0], nouns[1]);
    }
    return switch (name) {
      case "text" -> Format::text;
      case "count" -> value -> count((Number) value);
      case "bytes" -> value -> bytes((Number) value);
      case "percent" ->
          value -> percent(value instanceof Ratio ratio ? ratio.share() : (Number) value);
      case "points" -> value -> of("%+.2f", (Number) value, 100);
      case "bar" -> value -> bar((Number) value);
      case "number" -> value -> number((Number) value);
      case "decimal" -> value -> decimal((Number) value);
      case "seconds" -> value -> seconds((Number) value);
      case "moment" -> value -> moment((String) value);
      case "until" -> value -> until((String) value);
      case "key" -> value -> value == null ? UNKNOWN : key((String) value);
      default -> throw new IllegalArgumentException("no format '" + name + "'");
    };
  }

  private static String rate(@Nullable Number now, @Nullable Number before, double seconds) {
    double grown = grown(now, before);
    return seconds > 0 && grown >= 0 ? of("%,.1f/s", grown / seconds, 1) : UNKNOWN;
  }

  private static String rated(@Nullable Number now, @Nullable Number before, double seconds) {
    String rate = rate(now, before, seconds);
    return rate.equals(UNKNOWN) ? count(now) : "%-14s %s".formatted(count(now), rate);
  }

  private static String recent(@Nullable Ratio now, @Nullable Ratio before) {
    return now == null || before == null ? UNKNOWN : percent(now.since(before).share());
  }

  private static double grown(@Nullable Number now, @Nullable Number before) {
    return now == null || before == null ? Double.NaN : now.doubleValue() - before.doubleValue();
  }

  /** Returns whether a value is null, empty, zero or false. */
  static boolean isNothing(@Nullable Object value) {
    return switch (value) {
      case null -> true;
      case Boolean flag -> !flag;
      case Number number -> number.doubleValue() == 0;
      case Collection<?> elements -> elements.isEmpty();
      case Map<?, ?> entries -> entries.isEmpty();
      default -> value.equals("");
    };
  }

  /** A text, safe for a terminal. */
  public static String text(@Nullable Object value) {
    return value == null ? UNKNOWN : KeyText.printable(value.toString());
  }

  public static String count(@Nullable Number value) {
    return of("%,.0f", value, 1);
  }

  /** A count with its noun. */
  public static String count(@Nullable Number value, String one, String many) {
    return value == null ? UNKNOWN + " " + many : Plural.of(value.longValue(), one, many);
  }

  public static String bytes(@Nullable Number value) {
    return value == null ? UNKNOWN : ByteSize.format(value.longValue());
  }

  /** A ratio as percent. */
  public static String percent(@Nullable Number value) {
    return of("%.1f %%", value, 100);
  }

  private static String number(@Nullable Number value) {
    return of(value != null && value.doubleValue() < 10 ? "%.2f" : "%,.0f", value, 1);
  }

  private static String bar(@Nullable Number share) {
    double of = share == null || Double.isNaN(share.doubleValue()) ? 0 : share.doubleValue();
    int full = (int) Math.round(BAR * Math.clamp(of, 0, 1));
    return "[" + "#".repeat(full) + ".".repeat(BAR - full) + "]";
  }

  public static String decimal(@Nullable Number value) {
    return of("%.4g", value, 1);
  }

  private static String of(String format, @Nullable Number value, double factor) {
    return value == null || !Double.isFinite(value.doubleValue())
        ? UNKNOWN
        : String.format(Locale.ROOT, format, factor * value.doubleValue());
  }

  public static String seconds(@Nullable Number value) {
    return value == null ? UNKNOWN : TimeSpan.format(value.doubleValue());
  }

  /** A moment as this machine's clock shows it. */
  public static String moment(@Nullable String time) {
    return time == null
        ? UNKNOWN
        : CLOCK.format(Instant.parse(time).atZone(ZoneId.systemDefault()));
  }

  /** How long from now to a moment. */
  public static String until(@Nullable String time) {
    if (time == null) {
      return UNKNOWN;
    }
    Duration left = Duration.between(Instant.now(), Instant.parse(time));
    return left.isNegative() ? "now" : TimeSpan.format(left.toMillis() / 1e3);
  }

  /** A key, percent-encoded in the document, as the user would type it. */
  public static String key(String encoded) {
    return KeyText.ofDocument(encoded).toString();
  }
}
