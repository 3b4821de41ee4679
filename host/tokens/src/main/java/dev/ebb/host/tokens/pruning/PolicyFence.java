package dev.ebb.host.tokens.pruning;

import java.util.function.Supplier;

/** Calls a token policy and turns its exceptions into a {@link TokenPolicyException}. */
final class PolicyFence {

  private final String name;

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

  /** For callers on the path of every step, which do not make an object for each call. */
  TokenPolicyException fault(Throwable failed) {
    return new TokenPolicyException(name, failed);
  }
}
