package dev.ebb.host.cache.execution;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.spi.BlockPolicy;
import org.jspecify.annotations.Nullable;

/**
 * A policy that is to be activated. Subclasses learn of its faults, its first answer and its end.
 */
public class PolicyCandidate {

  private final String name;
  private final BlockPolicy<?> policy;
  private final @Nullable Runnable betweenEvents;

  /** Creates a candidate whose policy holds nothing. The cache closes it, whatever happens. */
  public PolicyCandidate(String name, BlockPolicy<?> policy) {
    this(name, policy, null);
  }

  /** The action, if there is one, is called on the policy's thread before each event. */
  public PolicyCandidate(String name, BlockPolicy<?> policy, @Nullable Runnable betweenEvents) {
    this.name = requireNonNull(name, "name is null");
    this.policy = requireNonNull(policy, "policy is null");
    this.betweenEvents = betweenEvents;
  }

  /** Returns the policy's name, for messages. */
  public final String name() {
    return name;
  }

  public final BlockPolicy<?> policy() {
    return policy;
  }

  final @Nullable Runnable betweenEvents() {
    return betweenEvents;
  }

  /** Called under the owner's lock when the policy broke its contract and is dismissed. */
  protected void failed(PolicyFault fault) {}

  /** Called when the policy is ready for queries, so many nanoseconds after its activation. */
  protected void answered(long nanos) {}

  /** Called when the policy is closed: the cache runs no more code of it. */
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
