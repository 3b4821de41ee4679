package acme;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.PreemptionPolicyProvider;
import dev.ebb.spi.RunningSequence;
import java.time.Duration;
import java.util.List;

/**
 * Preempts, of the sequences that free enough memory alone, the one with the fewest tokens to
 * compute again. A sequence that would then miss its deadline comes last.
 */
public final class BestFit implements PreemptionPolicyProvider {

  @Override
  public String name() {
    return "best-fit";
  }

  @Override
  public PreemptionPolicy create(PolicyContext context) {
    long grace = context.settings().duration("grace", Duration.ofSeconds(10)).toNanos();
    return new PreemptionPolicy() {
      @Override
      public int compare(RunningSequence first, RunningSequence second) {
        int order = Boolean.compare(urgent(first), urgent(second));
        return order != 0 ? order : Integer.compare(lost(first), lost(second));
      }

      @Override
      public int select(List<? extends RunningSequence> candidates, long neededTokens) {
        int best = -1;
        for (int i = 0; i < candidates.size(); i++) {
          RunningSequence each = candidates.get(i);
          if (each.freedTokens() >= neededTokens
              && (best < 0 || compare(each, candidates.get(best)) < 0)) {
            best = i;
          }
        }
        return best < 0 ? PreemptionPolicy.super.select(candidates, neededTokens) : best;
      }

      private boolean urgent(RunningSequence each) {
        return each.deadlineNanos() - context.clock().nanos() < grace;
      }
    };
  }

  private static int lost(RunningSequence each) {
    return each.computedTokens() - each.cachedTokens();
  }
}
