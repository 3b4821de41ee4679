package dev.ebb.host.scheduler;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.RunningSequence;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks a preemption policy, until it fails: {@link PreemptionRules#LOWEST_PRIORITY} replaces it
 * then.
 */
public final class GuardedPreemption {

  private final Consumer<String> onFault;
  private PreemptionPolicy policy;
  private @Nullable String fault;

  /** Creates a guard; {@code onFault} receives the description of what the policy throws, once. */
  public GuardedPreemption(PreemptionPolicy policy, Consumer<String> onFault) {
    this.policy = requireNonNull(policy, "policy is null");
    this.onFault = requireNonNull(onFault, "onFault is null");
  }

  /**
   * Returns the sequence to preempt.
   *
   * @param candidates at least one
   * @param neededTokens the tokens that memory is missing for
   */
  public <S extends RunningSequence> S select(List<S> candidates, long neededTokens) {
    long needed = Math.max(1, neededTokens);
    try {
      int chosen = policy.select(candidates, needed);
      if (chosen < 0 || chosen >= candidates.size()) {
        throw new IndexOutOfBoundsException(
            "select() returned '%d' for %d candidates".formatted(chosen, candidates.size()));
      }
      return candidates.get(chosen);
    } catch (VirtualMachineError fatal) {
      throw fatal;
    } catch (Throwable thrown) {
      // As text, because the exception would keep the plugin's classes in memory.
      fault = describe(thrown);
      policy = PreemptionRules.LOWEST_PRIORITY;
      onFault.accept(fault);
      return candidates.get(policy.select(candidates, needed));
    }
  }

  private static String describe(Throwable thrown) {
    try {
      return String.valueOf(thrown);
    } catch (Throwable failing) {
      return thrown.getClass().getName();
    }
  }

  /** Returns what the policy threw; null if it is still asked. */
  public @Nullable String fault() {
    return fault;
  }
}
