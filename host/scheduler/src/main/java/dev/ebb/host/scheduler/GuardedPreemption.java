package dev.ebb.host.scheduler;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.RunningSequence;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks a preemption policy, until it throws: {@link PreemptionRules#LOWEST_PRIORITY} replaces it
 * then. Among equals, the sequence admitted last is preempted.
 */
public final class GuardedPreemption {

  private final Consumer<String> onFault;
  private PreemptionPolicy policy;
  private @Nullable String fault;

  /**
   * Creates a guard.
   *
   * @param onFault receives the description of what the policy throws, once
   */
  public GuardedPreemption(PreemptionPolicy policy, Consumer<String> onFault) {
    this.policy = requireNonNull(policy, "policy is null");
    this.onFault = requireNonNull(onFault, "onFault is null");
  }

  /** Returns whether a sequence is preempted rather than another one. */
  public boolean prefers(RunningSequence sequence, RunningSequence other) {
    int order = compare(sequence, other);
    return order != 0 ? order < 0 : sequence.admission() > other.admission();
  }

  private int compare(RunningSequence sequence, RunningSequence other) {
    try {
      return policy.compare(sequence, other);
    } catch (VirtualMachineError fatal) {
      throw fatal;
    } catch (Throwable thrown) {
      // As text, because the exception would keep the plugin's classes in memory.
      fault = describe(thrown);
      policy = PreemptionRules.LOWEST_PRIORITY;
      onFault.accept(fault);
      return policy.compare(sequence, other);
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
