package dev.ebb.host.engine;

/** Thrown when a sequence that is not open is used. */
public final class SequenceStateException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final SequenceState state;

  SequenceStateException(String message, SequenceState state) {
    super(message);
    this.state = state;
  }

  /** Returns the state, which is not OPEN. */
  public SequenceState state() {
    return state;
  }
}
