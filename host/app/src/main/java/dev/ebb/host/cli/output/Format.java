package dev.ebb.host.cli.output;

import dev.ebb.host.units.ByteSize;
import dev.ebb.host.units.Plural;
import dev.ebb.host.units.TimeSpan;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Values of documents for a terminal. An unknown value is a dash. */
public final class Format {

  public static final String UNKNOWN = "-";

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
  public static String percent(@Nullable Double value) {
    return of("%.1f %%", value, 100);
  }

  public static String decimal(@Nullable Double value) {
    return of("%.4g", value, 1);
  }

  private static String of(String format, @Nullable Number value, double factor) {
    return value == null || Double.isNaN(value.doubleValue())
        ? UNKNOWN
        : String.format(Locale.ROOT, format, factor * value.doubleValue());
  }

  public static String seconds(double value) {
    return TimeSpan.format(value);
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
