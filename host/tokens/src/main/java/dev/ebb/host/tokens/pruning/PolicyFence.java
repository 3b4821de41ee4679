package dev.ebb.host.tokens.pruning;

import java.util.function.Supplier;

/** Calls a token policy: what it throws becomes a {@link TokenPolicyException}. */
final class PolicyFence {

  private final String name;

  /**
   * A fence around one policy.
   *
   * @param name the policy's name, for messages
   */
  PolicyFence(String name) {
    this.name = name;
  }

  <T> T call(Supplier<T> call) {
    try {
      return call.get();
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError failed) {
      throw fault(failed);
    }
  }

  /** For callers on the way of every step, who do not make an object for each call. */
  TokenPolicyException fault(Throwable failed) {
    return new TokenPolicyException(name, failed);
  }
}
