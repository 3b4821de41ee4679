package dev.ebb.host.tokens;

/** Thrown for an invalid score or protected token of a policy: a failure of the policy. */
public final class InvalidScore extends RuntimeException {

  private static final long serialVersionUID = 1L;

  InvalidScore(String message) {
    super(message, null, false, false);
  }
}
