package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.BlockPolicy;

/**
 * A policy that is to be activated.
 *
 * @param name its name, for messages
 * @param policy holds nothing; the cache closes it in any case
 * @param fate receives its end
 */
public class PolicyCandidate {

  private final String name;
  private final BlockPolicy<?> policy;

  /**
   * A candidate.
   *
   * @param name its name, for messages
   * @param policy holds nothing; the cache closes it, whatever happens
   */
  public PolicyCandidate(String name, BlockPolicy<?> policy) {
    this.name = requireNonNull(name, "name is null");
    this.policy = requireNonNull(policy, "policy is null");
  }

  /**
   * Returns the policy's name.
   *
   * @return for messages
   */
  public final String name() {
    return name;
  }

  final BlockPolicy<?> policy() {
    return policy;
  }

  /**
   * The policy broke its contract, and is dismissed.
   *
   * @param fault how; the owner's lock is held
   */
  protected void failed(PolicyFault fault) {}

  /**
   * The policy is active, and looks for the first time whether it is needed.
   *
   * @param nanos since it was activated
   */
  protected void answered(long nanos) {}

  /** The policy has been closed: the cache runs no code of it any more. */
  protected void closed() {}

  /** Closes a policy that no cache was given. What it throws is ignored. */
  public final void discard() {
    try {
      policy.close();
    } catch (RuntimeException late) {
      // Nothing depends on it.
    } finally {
      closed();
    }
  }
}
