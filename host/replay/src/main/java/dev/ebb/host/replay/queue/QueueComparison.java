package dev.ebb.host.replay.queue;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.engine.SchedulerConfig;
import dev.ebb.host.policy.PolicyFactory;
import dev.ebb.host.policy.PolicyPartition;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.host.scheduler.PreemptionRules;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PreemptionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Replays the requests of a trace under several preemption policies. */
public final class QueueComparison {

  private final PolicyFactory factory;
  private final QueueOptions options;
  private final long seed;

  /**
   * Creates a comparison.
   *
   * @param seed of the policies' random generators
   */
  public QueueComparison(PolicyFactory factory, QueueOptions options, long seed) {
    this.factory = factory;
    this.options = options;
    this.seed = seed;
  }

  /** Returns all preemption policies: those of Ebb, then those of plugins. */
  public static List<PolicySpec> all(PolicyFactory factory) {
    List<String> names = new ArrayList<>(SchedulerConfig.BUILT_IN);
    names.addAll(factory.preemptionPolicyNames());
    return names.stream().map(PolicySpec::of).toList();
  }

  /**
   * Runs the requests of a trace under each policy.
   *
   * @throws dev.ebb.host.errors.UserError if there is no such policy, or a setting is wrong
   */
  public List<QueueResult> run(List<PolicySpec> policies, DecodedTrace trace) {
    return policies.stream().map(policy -> run(policy, trace)).toList();
  }

  private QueueResult run(PolicySpec spec, DecodedTrace trace) {
    Optional<PreemptionRules> own =
        spec.settings().isEmpty() ? PreemptionRules.of(spec.name()) : Optional.empty();
    if (own.isPresent()) {
      return QueueReplay.run(spec.display(), trace, options, clock -> own.get());
    }
    List<StrategyInstance<PreemptionPolicy>> made = new ArrayList<>();
    try {
      return QueueReplay.run(
          spec.display(),
          trace,
          options,
          clock -> {
            made.add(factory.createPreemptionPolicy(spec, partition(clock)));
            return made.getFirst().value();
          });
    } finally {
      made.forEach(StrategyInstance::close);
    }
  }

  private PolicyPartition partition(PolicyClock clock) {
    return new PolicyPartition("scheduler", options.blocks(), clock, seed);
  }
}
