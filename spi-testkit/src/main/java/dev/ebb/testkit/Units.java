package dev.ebb.testkit;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Numbers with a unit, as in a configuration file. */
final class Units {

  private static final Pattern TEXT = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([a-zA-Z]+)");
  private static final List<String> PREFIXES = List.of("", "k", "m", "g", "t", "p", "e");

  private Units() {}

  /** Parses a size such as {@code 16 MiB} or {@code 500 kB}. */
  static long bytes(String text) {
    Matcher matcher = matcher(text);
    String unit = matcher.group(2).toLowerCase(Locale.ROOT);
    boolean binary = unit.endsWith("ib");
    String prefix = unit.replaceFirst(binary ? "ib$" : "b$", "");
    int power = PREFIXES.indexOf(prefix);
    if (power < 0 || prefix.equals(unit) || (binary && power == 0)) {
      throw new IllegalArgumentException(text);
    }
    BigDecimal factor = BigDecimal.valueOf(binary ? 1_024 : 1_000).pow(power);
    return new BigDecimal(matcher.group(1)).multiply(factor).longValueExact();
  }

  /** Parses a duration such as {@code 10 s} or {@code 1.5 hours}. */
  static Duration duration(String text) {
    Matcher matcher = matcher(text);
    BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(nanos(matcher.group(2)));
    return Duration.ofNanos(nanos.toBigInteger().longValueExact());
  }

  /** Formats a duration in the largest unit that leaves no fraction. */
  static String text(Duration duration) {
    long nanos = duration.toNanos();
    String unit =
        Stream.of("d", "h", "min", "s", "ms", "us")
            .filter(each -> nanos != 0 && nanos % nanos(each).longValue() == 0)
            .findFirst()
            .orElse(nanos == 0 ? "s" : "ns");
    return nanos / nanos(unit).longValue() + " " + unit;
  }

  private static BigDecimal nanos(String unit) {
    return BigDecimal.valueOf(
        switch (unit) {
          case "ns", "nano", "nanos", "nanosecond", "nanoseconds" -> 1L;
          case "us", "micro", "micros", "microsecond", "microseconds" -> 1_000L;
          case "ms", "milli", "millis", "millisecond", "milliseconds" -> 1_000_000L;
          case "s", "second", "seconds" -> 1_000_000_000L;
          case "m", "min", "minute", "minutes" -> 60_000_000_000L;
          case "h", "hour", "hours" -> 3_600_000_000_000L;
          case "d", "day", "days" -> 86_400_000_000_000L;
          default -> throw new IllegalArgumentException(unit);
        });
  }

  private static Matcher matcher(String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(text);
    }
    return matcher;
  }
}
