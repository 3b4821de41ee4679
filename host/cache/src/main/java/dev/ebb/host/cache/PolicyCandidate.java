package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.BlockPolicy;

/**
 * A policy that is to be activated.
 *
 * @param name its name, for messages
 * @param policy holds nothing; the cache closes it, whatever becomes of it
 * @param fate hears what becomes of it
 */
public record PolicyCandidate(String name, BlockPolicy<?> policy, Fate fate) {

  /** Checks that all is there. */
  public PolicyCandidate {
    requireNonNull(name, "name is null");
    requireNonNull(policy, "policy is null");
    requireNonNull(fate, "fate is null");
  }

  /** Closes a policy that no cache was given. What it throws is of no interest any more. */
  public void discard() {
    try {
      policy.close();
    } catch (RuntimeException late) {
      // Nothing depends on it.
    } finally {
      fate.closed();
    }
  }

  /**
   * A policy of whose fate nobody hears.
   *
   * @param name its name, for messages
   * @param policy holds nothing
   * @return a successor
   */
  public static PolicyCandidate of(String name, BlockPolicy<?> policy) {
    return new PolicyCandidate(name, policy, Fate.UNHEARD);
  }
}
