package dev.ebb.host.replay;

import dev.ebb.host.statistics.Difference;
import java.util.List;
import java.util.Locale;

/**
 * The result of a candidate at one capacity: compared with LRU, and its rank.
 *
 * @param lead its hit ratio less LRU's; NaN if its run failed
 * @param rank 1 for the best; equal for ties; -1 if its run failed
 */
public record CandidateResult(
    long capacityBlocks, LruComparison comparedWithLru, Difference lead, int rank, int of) {

  /**
   * The number of parts of the trace that are compared one by one. Few, so that each is long, and
   * the cache content from the previous part matters little.
   */
  private static final int SLICES = 16;

  /** A comparison with LRU. */
  public enum LruComparison {
    BETTER,
    /** As many hits. */
    EQUAL,
    /** Some hits more or less, which may be chance. */
    UNCLEAR,
    /** Fewer hits, and more than chance. */
    WORSE,
    /** Its run failed. */
    FAILED;

    /** Returns the name in JSON, in lower case. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static CandidateResult of(ReplayReport report, ReplayResult run, ReplayResult lru) {
    List<ReplayResult> all = report.at(run.capacityBlocks());
    if (run.failure() != null) {
      Difference unknown = new Difference(Double.NaN, Double.NaN);
      return new CandidateResult(
          run.capacityBlocks(), LruComparison.FAILED, unknown, -1, all.size());
    }
    Difference lead = lead(run, lru);
    long before =
        all.stream().filter(other -> other.failure() == null && other.hits() > run.hits()).count();
    return new CandidateResult(
        run.capacityBlocks(),
        comparedWithLru(run.hits() - lru.hits(), lead),
        lead,
        (int) before + 1,
        all.size());
  }

  private static LruComparison comparedWithLru(long hits, Difference lead) {
    if (hits == 0) {
      return LruComparison.EQUAL;
    }
    if (!lead.moreThanChance()) {
      return LruComparison.UNCLEAR;
    }
    return hits > 0 ? LruComparison.BETTER : LruComparison.WORSE;
  }

  /** Compares slice by slice: both runs saw the same requests in the same steps. */
  private static Difference lead(ReplayResult run, ReplayResult lru) {
    int steps = run.series().size();
    int slices = steps < SLICES ? 1 : SLICES;
    double[] gains = new double[slices];
    double[] sizes = new double[slices];
    for (int step = 0; step < steps; step++) {
      int slice = step * slices / steps;
      gains[slice] += run.series().get(step).hits() - lru.series().get(step).hits();
      sizes[slice] += run.series().get(step).references();
    }
    return Difference.of(gains, sizes);
  }
}
