package dev.ebb.host.tokens.pruning;

/** A token policy did what it must not do. No token has left. */
public final class TokenPolicyException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  TokenPolicyException(String policy, Throwable cause) {
    super("token policy '%s' failed: %s".formatted(policy, cause), cause);
  }
}
