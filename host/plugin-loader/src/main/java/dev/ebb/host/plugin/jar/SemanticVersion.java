package dev.ebb.host.plugin.jar;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  /** A number without leading zeros, no longer than any version has. */
  static final String NUMBER = "(?:0|[1-9]\\d{0,17})";

  private static final Pattern VERSION =
      Pattern.compile("(%1$s)\\.(%1$s)\\.(%1$s)(?:-([^+]++))?(?:\\+(.++))?".formatted(NUMBER));
  private static final String WORD = "[0-9a-zA-Z-]+";

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
    Matcher parts = VERSION.matcher(text);
    if (!parts.matches()) {
      return null;
    }
    List<String> preRelease = identifiers(parts.group(4));
    boolean valid =
        preRelease.stream().allMatch(each -> each.matches(each.matches("\\d+") ? NUMBER : WORD))
            && identifiers(parts.group(5)).stream().allMatch(each -> each.matches(WORD));
    return !valid
        ? null
        : new SemanticVersion(
            Long.parseLong(parts.group(1)),
            Long.parseLong(parts.group(2)),
            Long.parseLong(parts.group(3)),
            preRelease);
  }

  private static List<String> identifiers(@Nullable String text) {
    return text == null ? List.of() : List.of(text.split("\\.", -1));
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
    boolean number = a.matches(NUMBER);
    if (number != b.matches(NUMBER)) {
      return number ? -1 : 1;
    }
    return number ? Long.compare(Long.parseLong(a), Long.parseLong(b)) : a.compareTo(b);
  }
}
