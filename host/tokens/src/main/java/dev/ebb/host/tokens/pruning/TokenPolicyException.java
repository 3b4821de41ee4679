package dev.ebb.host.tokens.pruning;

/** Thrown when a token policy fails or breaks its contract. No token has been dropped. */
public final class TokenPolicyException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  TokenPolicyException(String policy, Throwable cause) {
    super("token policy '%s' failed: %s".formatted(policy, cause), cause);
  }
}
