package dev.ebb.host.cache;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.policy.AdmissionUse;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.RandomSeeds;
import dev.ebb.spi.PolicyClock;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A cache whose policy can be switched while it is used: the store of a server, or an embedded
 * engine. Thread-safe.
 */
public interface PolicySite {

  /**
   * Returns the parts, at least one, each with its instance of the policy. They keep their order;
   * others may follow or leave while the site is used.
   */
  List<PolicyPlace> places();

  /** Returns the names of the parts, with those that may follow. */
  default List<String> placeNames() {
    return places().stream().map(PolicyPlace::name).toList();
  }

  /**
   * Prepares a policy in every place, and waits until it knows all residents. The candidates are
   * closed whatever happens, and everywhere if the policy fails or the site is closed.
   */
  default PreparedPolicies prepare(List<PolicyCandidate> candidates) {
    return PreparedPolicies.begin(places(), candidates);
  }

  /** Returns when the site evicts ahead of demand; null if it does not. */
  @Nullable EvictionLimits limits();

  /** Changes when the site evicts ahead of demand, from now on. */
  void limits(EvictionLimits limits);

  PolicyClock clock();

  /**
   * Returns a seed for the random generator of a policy instance: another one at each call, unless
   * the site repeats its runs exactly.
   */
  default long seed() {
    return RandomSeeds.next();
  }

  EvictionLog evictionLog();

  SiteUse use();

  /** Returns how often the active policy decided on admission; null if it admits all. */
  default @Nullable AdmissionUse admission() {
    return places().stream()
        .map(PolicyPlace::admission)
        .filter(Objects::nonNull)
        .reduce(AdmissionUse::plus)
        .orElse(null);
  }

  /** Returns the name of the active policy, which is the built-in one after a fault. */
  default String policy() {
    return places().getFirst().policy();
  }
}
