package dev.ebb.host.units;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Durations, as text. */
public final class TimeSpan {

  private static final Pattern TEXT = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)\\s*([a-z]+)");

  /** The largest first; of two names of one unit, the one that is written. */
  private static final List<Map.Entry<String, Long>> UNITS =
      List.of(
          Map.entry("d", 86_400_000_000_000L),
          Map.entry("h", 3_600_000_000_000L),
          Map.entry("min", 60_000_000_000L),
          Map.entry("m", 60_000_000_000L),
          Map.entry("s", 1_000_000_000L),
          Map.entry("ms", 1_000_000L));

  private static final Map<String, Long> NANOS =
      UNITS.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));

  private TimeSpan() {}

  /** Parses a duration such as {@code 1.5 h}; empty if it is none, or longer than 292 years. */
  public static Optional<Duration> parse(String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    Long unit = matcher.matches() ? NANOS.get(matcher.group(2)) : null;
    if (unit == null) {
      return Optional.empty();
    }
    try {
      BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit));
      return Optional.of(Duration.ofNanos(nanos.toBigInteger().longValueExact()));
    } catch (ArithmeticException tooLong) {
      return Optional.empty();
    }
  }

  /** Parses a duration as {@link #parse} does; without a unit it is in seconds. */
  public static Optional<Duration> parseOrSeconds(String text) {
    Optional<Duration> time = parse(text);
    return time.isPresent() ? time : parse(text.strip() + "s");
  }

  /** Formats a duration without rounding, in the largest unit that leaves no fraction. */
  public static String exact(Duration length) {
    long nanos = length.toNanos();
    if (nanos == 0) {
      return "0 s";
    }
    for (Map.Entry<String, Long> unit : UNITS) {
      if (nanos % unit.getValue() == 0) {
        return nanos / unit.getValue() + " " + unit.getKey();
      }
    }
    return nanos + " ns";
  }

  /** Formats seconds in their two largest units, below a minute in one: {@code 2 min 5 s}. */
  public static String format(double seconds) {
    if (seconds < 59.95) {
      return small(seconds);
    }
    long whole = Math.round(seconds);
    if (whole < 3_600) {
      return two(whole, 60, "min", 1, "s");
    }
    return whole < 86_400 ? two(whole, 3_600, "h", 60, "min") : two(whole, 86_400, "d", 3_600, "h");
  }

  private static String small(double seconds) {
    if (seconds == 0) {
      return "0 s";
    }
    if (seconds < 0.9995e-6) {
      return digits(seconds * 1e9) + " ns";
    }
    if (seconds < 0.9995e-3) {
      return digits(seconds * 1e6) + " us";
    }
    return seconds < 0.9995 ? digits(seconds * 1e3) + " ms" : digits(seconds) + " s";
  }

  private static String digits(double value) {
    return String.format(Locale.ROOT, value < 9.95 ? "%.2f" : value < 99.5 ? "%.1f" : "%.0f", value)
        .replaceFirst("\\.0+$", "");
  }

  private static String two(long seconds, long large, String largeUnit, long small, String unit) {
    long rest = seconds % large / small;
    String text = seconds / large + " " + largeUnit;
    return rest == 0 ? text : text + " " + rest + " " + unit;
  }
}
