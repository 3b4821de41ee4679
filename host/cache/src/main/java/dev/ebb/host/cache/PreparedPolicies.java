package dev.ebb.host.cache;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.policy.PendingSwitch;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.policy.SwitchTimes;
import java.util.ArrayList;
import java.util.List;

/**
 * A policy that is ready in every place of a site, to be active in all at one moment, or in none.
 */
public final class PreparedPolicies {

  private final List<PolicyPlace> places;
  private final List<PendingSwitch> switches = new ArrayList<>();

  private PreparedPolicies(List<PolicyPlace> places) {
    this.places = places;
  }

  /**
   * Prepares a policy in places, and waits until it knows all residents. The candidates, one for
   * each place, are closed whatever happens, and everywhere if the policy fails.
   */
  public static PreparedPolicies begin(List<PolicyPlace> places, List<PolicyCandidate> candidates) {
    PreparedPolicies prepared = new PreparedPolicies(places);
    try {
      for (int i = 0; i < places.size(); i++) {
        PolicyPlace place = places.get(i);
        PolicyCandidate candidate = candidates.get(i);
        prepared.switches.add(place.locked(() -> place.begin(candidate)));
      }
      prepared.await();
      return prepared;
    } catch (RuntimeException failed) {
      prepared.cancel();
      // No other code closes policies that no cache was given; only their constructors have run.
      int given = prepared.switches.size() + (failed instanceof PolicyFault ? 1 : 0);
      candidates.stream().skip(given).forEach(PolicyCandidate::discard);
      throw failed;
    }
  }

  private void await() {
    for (int i = 0; i < switches.size(); i++) {
      places.get(i).locked(switches.get(i)::await);
    }
  }

  /**
   * Activates the policy everywhere at one moment, while the site is not used. Runs an action then.
   * If the policy has failed somewhere since, it is closed everywhere.
   */
  public void publish(Runnable published) {
    try {
      publish(0, published);
    } catch (RuntimeException failed) {
      cancel();
      throw failed;
    }
  }

  /** Locks all places in their order, so that no two publications wait for each other. */
  private void publish(int locked, Runnable published) {
    if (locked < places.size()) {
      places.get(locked).locked(() -> publish(locked + 1, published));
    } else {
      switches.forEach(PendingSwitch::check);
      switches.forEach(PendingSwitch::publish);
      published.run();
    }
  }

  /** Closes the policy everywhere. The active one stays active. */
  public void cancel() {
    for (int i = 0; i < switches.size(); i++) {
      places.get(i).locked(switches.get(i)::cancel);
    }
  }

  /** Returns the longest duration of each step in all places. */
  public SwitchTimes times() {
    SwitchTimes longest = SwitchTimes.NONE;
    for (int i = 0; i < switches.size(); i++) {
      longest = longest.longest(places.get(i).locked(switches.get(i)::times));
    }
    return longest;
  }
}
