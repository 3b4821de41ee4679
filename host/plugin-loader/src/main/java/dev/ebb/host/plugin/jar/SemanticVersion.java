package dev.ebb.host.plugin.jar;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A version as <a href="https://semver.org">semver.org</a> defines it. Build metadata is checked
 * and dropped, since it has no part in the order.
 *
 * @param major changes when something breaks
 * @param minor changes when something is added
 * @param patch changes when something is fixed
 * @param preRelease identifiers such as {@code rc} and {@code 1}; none for a release
 */
public record SemanticVersion(long major, long minor, long patch, List<String> preRelease)
    implements Comparable<SemanticVersion> {

  /** Longer numbers than any version has, and none that a {@code long} cannot hold. */
  private static final int MOST_DIGITS = 18;

  private static final String ALPHABET =
      "-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

  /** A release is after its pre-releases. */
  private static final Comparator<SemanticVersion> ORDER =
      Comparator.comparingLong(SemanticVersion::major)
          .thenComparingLong(SemanticVersion::minor)
          .thenComparingLong(SemanticVersion::patch)
          .thenComparing(version -> version.preRelease.isEmpty())
          .thenComparing(SemanticVersion::preRelease, SemanticVersion::compare);

  public SemanticVersion {
    preRelease = List.copyOf(preRelease);
  }

  /** A version that was checked before. */
  public static SemanticVersion of(String text) {
    SemanticVersion version = parse(text);
    if (version == null) {
      throw new IllegalArgumentException(
          "version '%s' must be a semantic version, for example '1.0.0'".formatted(text));
    }
    return version;
  }

  static SemanticVersion release(long major, long minor, long patch) {
    return new SemanticVersion(major, minor, patch, List.of());
  }

  /** Returns null if the text is not a version. */
  static @Nullable SemanticVersion parse(String text) {
    int plus = text.indexOf('+');
    if (plus >= 0
        && !identifiers(text.substring(plus + 1)).stream()
            .allMatch(SemanticVersion::isIdentifier)) {
      return null;
    }
    String version = plus < 0 ? text : text.substring(0, plus);
    int dash = version.indexOf('-');
    List<String> preRelease = dash < 0 ? List.of() : identifiers(version.substring(dash + 1));
    String[] numbers = (dash < 0 ? version : version.substring(0, dash)).split("\\.", -1);
    if (numbers.length != 3
        || !Arrays.stream(numbers).allMatch(SemanticVersion::isNumber)
        || !preRelease.stream().allMatch(SemanticVersion::isPreRelease)) {
      return null;
    }
    return new SemanticVersion(
        Long.parseLong(numbers[0]),
        Long.parseLong(numbers[1]),
        Long.parseLong(numbers[2]),
        preRelease);
  }

  private static List<String> identifiers(String text) {
    return List.of(text.split("\\.", -1));
  }

  private static boolean isPreRelease(String text) {
    return isIdentifier(text) && (!isDigits(text) || isNumber(text));
  }

  private static boolean isIdentifier(String text) {
    return !text.isEmpty() && text.chars().allMatch(c -> ALPHABET.indexOf(c) >= 0);
  }

  private static boolean isDigits(String text) {
    return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /** Whether it is a number without leading zeros. */
  static boolean isNumber(String text) {
    return isDigits(text)
        && text.length() <= MOST_DIGITS
        && (text.length() == 1 || text.charAt(0) != '0');
  }

  @Override
  public int compareTo(SemanticVersion other) {
    return ORDER.compare(this, other);
  }

  private static int compare(List<String> a, List<String> b) {
    return Arrays.compare(
        a.toArray(String[]::new), b.toArray(String[]::new), SemanticVersion::compare);
  }

  /** Numbers go by their value and before words; words go by their characters. */
  private static int compare(String a, String b) {
    boolean number = isDigits(a);
    if (number != isDigits(b)) {
      return number ? -1 : 1;
    }
    return number ? Long.compare(Long.parseLong(a), Long.parseLong(b)) : a.compareTo(b);
  }
}
