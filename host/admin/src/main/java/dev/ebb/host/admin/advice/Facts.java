package dev.ebb.host.admin.advice;

import dev.ebb.host.shadow.MemoryCurve;
import dev.ebb.host.shadow.Shadows;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What advice is decided on. Counts are since the start.
 *
 * @param unit what is requested and evicted
 * @param elsewhere requested ones that memory did not have, but another tier or node
 * @param premature evicted ones that were requested again
 * @param stored values that were stored
 * @param rejected values for which there was no space
 * @param heap share of the heap in use, 0 to 1
 * @param problems what is wrong now, whatever the counts say
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

  /** Copies the list. */
  public Facts {
    problems = List.copyOf(problems);
  }

  /**
   * What is counted.
   *
   * @param name in the plural
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
