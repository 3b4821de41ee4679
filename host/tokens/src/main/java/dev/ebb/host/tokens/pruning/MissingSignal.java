package dev.ebb.host.tokens.pruning;

/** The engine has not handed over yet what a token policy needs. No token has left. */
public final class MissingSignal extends RuntimeException {

  private static final long serialVersionUID = 1L;

  MissingSignal(String message) {
    super(message, null, false, false);
  }
}
