package dev.ebb.host.plugin.jar;

import com.google.common.collect.ImmutableRangeSet;
import com.google.common.collect.Range;
import com.google.common.collect.RangeSet;
import com.google.common.collect.TreeRangeSet;
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

  /** A version of which the last numbers are left out or wild. */
  private static final Pattern PREFIX =
      Pattern.compile(
          "(?!(?:[^.]*\\.){3})(?:(%1$s)(?:\\.(%1$s))?|[xX*])(?:\\.[xX*])*"
              .formatted(SemanticVersion.NUMBER));

  private final RangeSet<SemanticVersion> versions;

  private VersionRange(RangeSet<SemanticVersion> versions) {
    this.versions = versions;
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
      Matcher parts = PREFIX.matcher(text);
      if (!parts.matches()) {
        return null;
      }
      int given = parts.group(1) == null ? 0 : parts.group(2) == null ? 1 : 2;
      return new Prefix(SemanticVersion.release(number(parts, 1), number(parts, 2), 0), given);
    }

    private static long number(Matcher parts, int group) {
      return parts.group(group) == null ? 0 : Long.parseLong(parts.group(group));
    }

    /** The versions that begin with the first so many numbers of it, and are not lower than it. */
    Range<SemanticVersion> sharing(int numbers) {
      return switch (numbers) {
        case 0 -> Range.all();
        case 1 -> before(SemanticVersion.release(first.major() + 1, 0, 0));
        case 2 -> before(SemanticVersion.release(first.major(), first.minor() + 1, 0));
        default -> before(SemanticVersion.release(first.major(), first.minor(), first.patch() + 1));
      };
    }

    private Range<SemanticVersion> before(SemanticVersion end) {
      return Range.closedOpen(first, end);
    }

    Range<SemanticVersion> beginning() {
      return given == 3 ? Range.singleton(first) : sharing(given);
    }

    /** Up to the next version that may break: a minor one below 1.0, a patch below 0.1. */
    Range<SemanticVersion> compatible() {
      int leading = first.major() > 0 ? 1 : first.minor() > 0 ? 2 : 3;
      return sharing(Math.min(given, leading));
    }
  }

  /** Returns null if the text is not a range. */
  static @Nullable VersionRange parse(String text) {
    RangeSet<SemanticVersion> alternatives = TreeRangeSet.create();
    for (String alternative : text.split("\\|", -1)) {
      ImmutableRangeSet<SemanticVersion> all = ImmutableRangeSet.of(Range.all());
      for (String each : alternative.split("&", -1)) {
        RangeSet<SemanticVersion> condition = condition(each.strip());
        if (condition == null) {
          return null;
        }
        all = all.intersection(condition);
      }
      alternatives.addAll(all);
    }
    return new VersionRange(alternatives);
  }

  private static @Nullable RangeSet<SemanticVersion> condition(String text) {
    Matcher parts = CONDITION.matcher(text);
    Prefix version = parts.matches() ? Prefix.parse(parts.group(2)) : null;
    if (version == null) {
      return null;
    }
    String operator = parts.group(1);
    SemanticVersion first = version.first();
    if (parts.group(3) != null) {
      Prefix last = operator.isEmpty() ? Prefix.parse(parts.group(3)) : null;
      return last == null
          ? null
          : ImmutableRangeSet.of(Range.atLeast(first))
              .intersection(ImmutableRangeSet.of(Range.atMost(last.first())));
    }
    return switch (operator) {
      case ">=" -> ImmutableRangeSet.of(Range.atLeast(first));
      case ">" -> ImmutableRangeSet.of(Range.greaterThan(first));
      case "<=" -> ImmutableRangeSet.of(Range.atMost(first));
      case "<" -> ImmutableRangeSet.of(Range.lessThan(first));
      case "!=" -> ImmutableRangeSet.of(Range.singleton(first)).complement();
      case "^" -> ImmutableRangeSet.of(version.compatible());
      case "~" -> ImmutableRangeSet.of(version.sharing(Math.min(version.given(), 2)));
      default -> ImmutableRangeSet.of(version.beginning());
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
    return versions.asRanges().stream()
        .allMatch(each -> each.hasLowerBound() && each.hasUpperBound());
  }

  /** Whether no version is in it. */
  boolean isEmpty() {
    return versions.isEmpty();
  }

  boolean contains(SemanticVersion version) {
    return versions.contains(version);
  }
}
