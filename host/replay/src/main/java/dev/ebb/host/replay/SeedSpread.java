package dev.ebb.host.replay;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The spread of a policy's results over several seeds.
 *
 * @param seeds the number of seeds, at least 2
 * @param hitRatio 0 to 1
 * @param tokenHitRatio 0 to 1
 * @param prefillP99 prompt tokens of a request without a prefix hit, -1 if not known
 */
public record SeedSpread(int seeds, Spread hitRatio, Spread tokenHitRatio, Spread prefillP99) {

  static SeedSpread of(List<ReplayResult> runs) {
    return new SeedSpread(
        runs.size(),
        spread(runs, ReplayResult::hitRatio),
        spread(runs, ReplayResult::tokenHitRatio),
        spread(runs, run -> run.prefill().p99()));
  }

  private static Spread spread(List<ReplayResult> runs, ToDoubleFunction<ReplayResult> value) {
    return Spread.of(runs.stream().mapToDouble(value).toArray());
  }

  /** Returns whether the seed makes no difference. */
  public boolean same() {
    return hitRatio.same() && prefillP99.same();
  }
}
