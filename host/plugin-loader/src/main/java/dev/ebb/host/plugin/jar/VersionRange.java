package dev.ebb.host.plugin.jar;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A range of versions: conditions joined by {@code &}, alternatives by {@code |}. A condition is
 * {@code >=1.2.0}, {@code ^1.2.0}, {@code ~1.2.0}, {@code 1.x}, {@code 1.0 - 1.4} and the like.
 */
final class VersionRange {

  private static final Pattern CONDITION =
      Pattern.compile("(>=|<=|!=|>|<|=|\\^|~|)\\s*+([^\\s<>=!^~]++)(?:\\s++-\\s++(\\S++))?");

  private final List<Interval> intervals;

  private VersionRange(List<Interval> intervals) {
    this.intervals = intervals;
  }

  /** What lies between two versions; null is no bound. */
  private record Interval(
      @Nullable SemanticVersion low,
      boolean withLow,
      @Nullable SemanticVersion high,
      boolean withHigh) {

    static final Interval ALL = new Interval(null, false, null, false);

    static Interval from(SemanticVersion low, boolean withLow) {
      return new Interval(low, withLow, null, false);
    }

    static Interval upTo(SemanticVersion high, boolean withHigh) {
      return new Interval(null, false, high, withHigh);
    }

    boolean isEmpty() {
      int order = low == null || high == null ? -1 : low.compareTo(high);
      return order > 0 || (order == 0 && !(withLow && withHigh));
    }

    boolean contains(SemanticVersion version) {
      return !and(new Interval(version, true, version, true)).isEmpty();
    }

    Interval and(Interval other) {
      Interval lower = other.isHigherAtLow(this) ? other : this;
      Interval upper = other.isLowerAtHigh(this) ? other : this;
      return new Interval(lower.low, lower.withLow, upper.high, upper.withHigh);
    }

    private boolean isHigherAtLow(Interval other) {
      int order = low == null ? -1 : other.low == null ? 1 : low.compareTo(other.low);
      return order > 0 || (order == 0 && !withLow);
    }

    private boolean isLowerAtHigh(Interval other) {
      int order = high == null ? 1 : other.high == null ? -1 : high.compareTo(other.high);
      return order < 0 || (order == 0 && !withHigh);
    }
  }

  /**
   * A version of which the last numbers may be left out.
   *
   * @param first the lowest version that begins with it
   * @param given how many numbers are given
   */
  private record Prefix(SemanticVersion first, int given) {

    static @Nullable Prefix parse(String text) {
      SemanticVersion whole = SemanticVersion.parse(text);
      if (whole != null) {
        return new Prefix(whole, 3);
      }
      String[] parts = text.split("\\.", -1);
      long[] numbers = new long[3];
      int given = 0;
      while (given < parts.length && SemanticVersion.isNumber(parts[given])) {
        if (given == 2) {
          return null;
        }
        numbers[given] = Long.parseLong(parts[given]);
        given++;
      }
      for (int i = given; i < parts.length; i++) {
        if (i > 2 || !parts[i].matches("[xX*]")) {
          return null;
        }
      }
      return new Prefix(SemanticVersion.release(numbers[0], numbers[1], numbers[2]), given);
    }

    /** The versions that begin with the first so many numbers of it, and are not lower than it. */
    Interval sharing(int numbers) {
      return switch (numbers) {
        case 0 -> Interval.ALL;
        case 1 -> before(SemanticVersion.release(first.major() + 1, 0, 0));
        case 2 -> before(SemanticVersion.release(first.major(), first.minor() + 1, 0));
        default -> before(SemanticVersion.release(first.major(), first.minor(), first.patch() + 1));
      };
    }

    private Interval before(SemanticVersion end) {
      return new Interval(first, true, end, false);
    }

    Interval beginning() {
      return given == 3 ? new Interval(first, true, first, true) : sharing(given);
    }

    /** Up to the next version that may break: a minor one below 1.0, a patch below 0.1. */
    Interval compatible() {
      int leading = first.major() > 0 ? 1 : first.minor() > 0 ? 2 : 3;
      return sharing(Math.min(given, leading));
    }
  }

  /** Returns null if the text is not a range. */
  static @Nullable VersionRange parse(String text) {
    List<Interval> alternatives = new ArrayList<>();
    for (String alternative : text.split("\\|", -1)) {
      List<Interval> all = List.of(Interval.ALL);
      for (String each : alternative.split("&", -1)) {
        List<Interval> condition = condition(each.strip());
        if (condition == null) {
          return null;
        }
        all =
            all.stream()
                .flatMap(left -> condition.stream().map(left::and))
                .filter(both -> !both.isEmpty())
                .toList();
      }
      alternatives.addAll(all);
    }
    return new VersionRange(alternatives);
  }

  private static @Nullable List<Interval> condition(String text) {
    Matcher parts = CONDITION.matcher(text);
    Prefix version = parts.matches() ? Prefix.parse(parts.group(2)) : null;
    if (version == null) {
      return null;
    }
    String operator = parts.group(1);
    SemanticVersion first = version.first();
    if (parts.group(3) != null) {
      Prefix last = operator.isEmpty() ? Prefix.parse(parts.group(3)) : null;
      return last == null ? null : List.of(new Interval(first, true, last.first(), true));
    }
    return switch (operator) {
      case ">=" -> List.of(Interval.from(first, true));
      case ">" -> List.of(Interval.from(first, false));
      case "<=" -> List.of(Interval.upTo(first, true));
      case "<" -> List.of(Interval.upTo(first, false));
      case "!=" -> List.of(Interval.upTo(first, false), Interval.from(first, false));
      case "^" -> List.of(version.compatible());
      case "~" -> List.of(version.sharing(Math.min(version.given(), 2)));
      default -> List.of(version.beginning());
    };
  }

  /** Whether a text is one version without a comparison: too little for a range of the SPI. */
  static boolean isOneVersion(String text) {
    Prefix version = Prefix.parse(text);
    return SemanticVersion.parse(text) != null
        || (version != null && Character.isDigit(text.charAt(text.length() - 1)));
  }

  /** Whether it has a lowest and a highest version. */
  boolean isBounded() {
    return intervals.stream().allMatch(each -> each.low() != null && each.high() != null);
  }

  /** Whether no version is in it. */
  boolean isEmpty() {
    return intervals.isEmpty();
  }

  boolean contains(SemanticVersion version) {
    return intervals.stream().anyMatch(each -> each.contains(version));
  }
}
