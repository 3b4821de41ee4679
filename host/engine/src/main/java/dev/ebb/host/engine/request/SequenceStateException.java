package dev.ebb.host.engine.request;

/** Thrown when a sequence that is not open is used. */
public final class SequenceStateException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final SequenceState state;

  public SequenceStateException(String message, SequenceState state) {
    super(message);
    this.state = state;
  }

  /** Returns the state, which is not OPEN. */
  public SequenceState state() {
    return state;
  }
}
