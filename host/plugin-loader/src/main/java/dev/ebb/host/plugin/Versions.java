package dev.ebb.host.plugin;

import java.math.BigInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.pf4j.DefaultVersionManager;
import org.pf4j.VersionManager;

/** Semantic versions and ranges, as parsed by PF4J. */
final class Versions {

  private static final VersionManager MANAGER = new DefaultVersionManager();
  private static final Pattern BARE = Pattern.compile("v?\\d+(\\.\\d+)*([-+]\\S*)?");

  private static final Pattern NAMED = Pattern.compile("\\d+(\\.\\d+){0,2}");

  /** The lowest version, below every published one. */
  private static final String LOWEST = "0.0.0-0";

  private static final String HIGHEST = "999999999.999999999.999999999";

  private Versions() {}

  static boolean isVersion(String version) {
    try {
      return MANAGER.compareVersions(version, version) == 0;
    } catch (RuntimeException malformed) {
      return false;
    }
  }

  static int compare(String a, String b) {
    return MANAGER.compareVersions(a, b);
  }

  static boolean isRange(String range) {
    try {
      MANAGER.checkVersionConstraint(LOWEST, range);
      return true;
    } catch (RuntimeException malformed) {
      return false;
    }
  }

  static boolean isBounded(String range) {
    return !BARE.matcher(range).matches()
        && !satisfies(LOWEST, range)
        && !satisfies(HIGHEST, range);
  }

  /**
   * Returns whether a bounded range excludes all versions that it names, and the ones after them.
   */
  static boolean isEmpty(String range) {
    return NAMED
        .matcher(range)
        .results()
        .flatMap(Versions::candidates)
        .noneMatch(version -> satisfies(version, range));
  }

  private static Stream<String> candidates(MatchResult named) {
    String[] parts = (named.group() + ".0.0").split("\\.", -1);
    String upToMinor = parts[0] + "." + parts[1] + ".";
    return Stream.of(
        upToMinor + parts[2], upToMinor + new BigInteger(parts[2]).add(BigInteger.ONE));
  }

  static boolean satisfies(String version, String range) {
    return MANAGER.checkVersionConstraint(version, range);
  }
}
