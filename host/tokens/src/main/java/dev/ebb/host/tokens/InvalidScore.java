package dev.ebb.host.tokens;

/** A policy's score or protected token that nothing can be chosen by: a fault of the policy. */
public final class InvalidScore extends RuntimeException {

  private static final long serialVersionUID = 1L;

  InvalidScore(String message) {
    super(message, null, false, false);
  }
}
