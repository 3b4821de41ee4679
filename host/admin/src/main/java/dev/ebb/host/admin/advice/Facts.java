package dev.ebb.host.admin.advice;

import dev.ebb.host.shadow.MemoryCurve;
import dev.ebb.host.shadow.Shadows;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What advice is decided on. Counts are since the start.
 *
 * @param elsewhere requested ones that memory did not have, but another tier or node
 * @param premature evicted ones that were requested again
 * @param heap share of the heap in use, 0 to 1
 */
public record Facts(
    Instant time,
    Unit unit,
    long requested,
    long elsewhere,
    long evicted,
    long premature,
    long stored,
    long rejected,
    double heap,
    Shadows.Report candidates,
    MemoryCurve.Report curve,
    List<Problem> problems) {

  public Facts {
    problems = List.copyOf(problems);
  }

  /**
   * What is counted.
   *
   * @param each how many of them an evicted entry has
   */
  public record Unit(String name, int each) {}

  /**
   * A problem of its own.
   *
   * @param since when it began; null for when it was first seen
   */
  public record Problem(Advice.Kind kind, String text, @Nullable Instant since) {}
}
