package dev.ebb.host.plugin.jar;

import java.util.Arrays;
import java.util.Collection;

/** The range of {@code dev.ebb.spi} versions with which a plugin works. */
public final class SpiRange {

  private SpiRange() {}

  /**
   * Returns the range from a version to the next that may break it: a minor one below 1.0,
   * otherwise a major one.
   *
   * @param version the version a plugin is built for
   * @return a value for {@code Plugin-Requires}, such as {@code >=1.7.0 & <2.0.0}
   */
  public static String from(String version) {
    int[] parts =
        Arrays.stream(version.split("[-+]", -1)[0].split("\\.", -1))
            .mapToInt(Integer::parseInt)
            .toArray();
    String next = parts[0] == 0 ? "0.%d.0".formatted(parts[1] + 1) : (parts[0] + 1) + ".0.0";
    return ">=%s & <%s".formatted(version, next);
  }

  /**
   * Returns whether a range contains a version before another one.
   *
   * @param range the value of a {@code Plugin-Requires}
   * @param version the one that it should begin with
   */
  public static boolean allowsBefore(String range, String version, Collection<String> versions) {
    VersionRange parsed = VersionRange.parse(range);
    SemanticVersion first = SemanticVersion.of(version);
    return parsed != null
        && versions.stream()
            .map(SemanticVersion::of)
            .anyMatch(each -> each.compareTo(first) < 0 && parsed.contains(each));
  }
}
