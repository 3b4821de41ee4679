package dev.ebb.host.cli.policy;

import dev.ebb.host.admin.rollout.CanaryDocument.Shadow;
import dev.ebb.host.admin.rollout.CanaryDocument.Traffic;
import dev.ebb.host.errors.UserError;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the canary of a rollout must reach: a hit ratio, by comparison with others.
 *
 * @param prefixes whether it is the hit ratio of the chunks of prompts
 * @param inclusive whether the bound itself is enough
 * @param points the least difference in percentage points
 */
record KeepCondition(String text, boolean prefixes, boolean inclusive, double points) {

  static final String DEFAULT = "prefixHitRatio >= -0.2pt";

  /** A ratio of fewer requests says nothing. */
  private static final long LEAST = 100;

  private static final double MOST_POINTS = 100;

  private static final Pattern SYNTAX =
      Pattern.compile(
          "\\s*(prefixHitRatio|hitRatio)\\s*(>=?)\\s*([-+]?\\d{1,3}(?:\\.\\d{1,6})?)\\s*pt\\s*");

  /**
   * Parses a condition such as {@code prefixHitRatio >= -0.2pt}.
   *
   * @throws UserError if it is wrong
   */
  static KeepCondition parse(String text) {
    Matcher parts = SYNTAX.matcher(text);
    if (!parts.matches()) {
      throw new UserError(
          "--keep-if: '%s' must compare prefixHitRatio or hitRatio, by >= or >, with a difference in percentage points, such as '%s'"
              .formatted(text, DEFAULT));
    }
    double points = Double.parseDouble(parts.group(3));
    if (Math.abs(points) > MOST_POINTS) {
      throw new UserError(
          "--keep-if: '%s': ratios differ by -100pt to 100pt, such as '%s'"
              .formatted(text, DEFAULT));
    }
    return new KeepCondition(
        text.strip(), parts.group(1).startsWith("prefix"), parts.group(2).equals(">="), points);
  }

  /** Returns the ratio of some requests; NaN if there are too few. */
  double ratio(Traffic of) {
    long requests = prefixes ? of.prefixLookups() : of.requests();
    return requests < LEAST
        ? Double.NaN
        : (double) (prefixes ? of.prefixHits() : of.hits()) / requests;
  }

  /** Returns the difference of the canary to its shadow in points; NaN if that is not known. */
  double difference(@Nullable Shadow shadow) {
    if (shadow == null || !shadow.enough()) {
      return Double.NaN;
    }
    if (!prefixes) {
      return 100 * (shadow.liveHitRatio() - shadow.hitRatio());
    }
    Double live = shadow.livePrefixHitRatio();
    Double before = shadow.prefixHitRatio();
    return live == null || before == null ? Double.NaN : 100 * (live - before);
  }

  /** Returns the difference of the canary to other nodes in points; NaN if that is not known. */
  double difference(Traffic canary, Traffic others) {
    return 100 * (ratio(canary) - ratio(others));
  }

  /** Returns whether a difference is enough. */
  boolean isMet(double difference) {
    return inclusive ? difference >= points : difference > points;
  }

  String metric() {
    return prefixes ? "prefix hit ratio" : "hit ratio";
  }

  static String shown(double difference) {
    return Double.isNaN(difference)
        ? "not known"
        : String.format(Locale.ROOT, "%+.1f pt", difference);
  }
}
