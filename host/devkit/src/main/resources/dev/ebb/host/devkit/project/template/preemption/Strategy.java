package {{package}};

import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.RunningSequence;
import java.util.Comparator;

/**
 * Preempts the sequence with the fewest tokens to compute again, but spares those that have been
 * preempted often.
 */
final class {{class}} implements PreemptionPolicy {

  private final Comparator<RunningSequence> order;

  {{class}}(int mostPreemptions) {
    order =
        Comparator.comparing((RunningSequence each) -> each.preemptions() >= mostPreemptions)
            .thenComparingInt(each -> each.computedTokens() - each.cachedTokens());
  }

  /** Returns a negative number to preempt the first, 0 for the one admitted last. */
  @Override
  public int compare(RunningSequence first, RunningSequence second) {
    return order.compare(first, second);
  }
}
