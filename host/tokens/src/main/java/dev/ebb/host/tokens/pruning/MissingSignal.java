package dev.ebb.host.tokens.pruning;

/**
 * Thrown when the engine has not yet provided a signal that a token policy needs. No token has been
 * dropped.
 */
public final class MissingSignal extends RuntimeException {

  private static final long serialVersionUID = 1L;

  MissingSignal(String message) {
    super(message, null, false, false);
  }
}
