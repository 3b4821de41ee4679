package dev.ebb.host.policy;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.simulation.CacheSimulation;
import dev.ebb.host.cache.simulation.SimulatedClock;
import dev.ebb.host.group.SizedGroups;
import org.jspecify.annotations.Nullable;

/** A cache without values that shows what a policy would have hit in sampled requests. */
final class SampledCache implements AutoCloseable {

  /** The most entries that a cache may have. */
  static final int MOST_ENTRIES = 8_192;

  private final CacheSimulation cache;
  private final SimulatedClock time;

  /**
   * Creates an empty cache.
   *
   * @param time the clock that the policy has
   */
  SampledCache(PolicyCandidate policy, long capacity, SimulatedClock time) {
    this.time = time;
    cache = new CacheSimulation(policy, capacity, time, null);
  }

  /** Changes the capacity, and evicts what does not fit any more. */
  void resize(long capacity) {
    cache.resize(capacity);
  }

  /** Returns whether it has been full. */
  boolean warm() {
    return cache.warm();
  }

  /**
   * Runs a request, and returns how many blocks it hit that were not counted before.
   *
   * @param groups the weights of its blocks; null if each weighs one
   */
  int run(SampledRequest sampled, @Nullable SizedGroups groups) {
    if (sampled.removal() != null) {
      cache.remove(sampled.keys()[0], sampled.removal());
      return 0;
    }
    time.advanceTo(sampled.nanos());
    cache.begin(
        sampled.facts(),
        sampled.inputTokens(),
        sampled.outputTokens(),
        sampled.ofObjects(),
        groups);
    for (int i = 0; i < sampled.keys().length; i++) {
      cache.add(
          sampled.keys()[i], 1, i < sampled.ordered(), i < sampled.counted(), i < sampled.used());
    }
    return cache.run();
  }

  @Override
  public void close() {
    cache.close();
  }
}
