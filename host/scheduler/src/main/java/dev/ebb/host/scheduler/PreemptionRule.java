package dev.ebb.host.scheduler;

/**
 * The rule that selects which running request is preempted. The scheduler offers it only requests
 * that are not more urgent than the one that needs the memory.
 */
@FunctionalInterface
public interface PreemptionRule {

  /**
   * Compares two running requests, as a total order.
   *
   * @return negative to preempt {@code first} rather than {@code second}
   */
  int compare(ScheduledRequest<?> first, ScheduledRequest<?> second);
}
