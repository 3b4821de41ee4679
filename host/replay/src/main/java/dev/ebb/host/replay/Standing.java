package dev.ebb.host.replay;

import dev.ebb.host.statistics.Difference;
import java.util.List;
import java.util.Locale;

/**
 * Where a candidate policy stands at one capacity: beside LRU, and among all that were replayed.
 *
 * @param capacityBlocks the capacity
 * @param besideLru what it is beside LRU, the host's own order
 * @param lead its hit ratio less LRU's; NaN if its run failed
 * @param place 1 for the best; who ties has the same; -1 if its run failed
 * @param of how many policies were replayed
 */
public record Standing(
    long capacityBlocks, BesideLru besideLru, Difference lead, int place, int of) {

  /**
   * Parts of the trace that are compared one by one. Few, so that each is long: what one leaves in
   * the cache for the next must matter little.
   */
  private static final int SLICES = 16;

  /** What a policy is beside LRU. */
  public enum BesideLru {
    /** More hits, and more than chance. */
    BETTER,
    /** As many hits. */
    EQUAL,
    /** Some hits more or less, which may be chance. */
    UNCLEAR,
    /** Fewer hits, and more than chance. */
    WORSE,
    /** Its run failed. */
    FAILED;

    /**
     * As it is written in JSON.
     *
     * @return the name in lower case
     */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Standing of(ReplayReport report, ReplayResult run, ReplayResult lru) {
    List<ReplayResult> all = report.at(run.capacityBlocks());
    if (run.failure() != null) {
      Difference unknown = new Difference(Double.NaN, Double.NaN);
      return new Standing(run.capacityBlocks(), BesideLru.FAILED, unknown, -1, all.size());
    }
    Difference lead = lead(run, lru);
    long before =
        all.stream().filter(other -> other.failure() == null && other.hits() > run.hits()).count();
    return new Standing(
        run.capacityBlocks(),
        besideLru(run.hits() - lru.hits(), lead),
        lead,
        (int) before + 1,
        all.size());
  }

  private static BesideLru besideLru(long hits, Difference lead) {
    if (hits == 0) {
      return BesideLru.EQUAL;
    }
    if (!lead.moreThanChance()) {
      return BesideLru.UNCLEAR;
    }
    return hits > 0 ? BesideLru.BETTER : BesideLru.WORSE;
  }

  /** Slice by slice, as both runs saw the same requests in the same steps. */
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
