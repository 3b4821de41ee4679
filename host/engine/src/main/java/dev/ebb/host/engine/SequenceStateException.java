package dev.ebb.host.engine;

/** A sequence was used that is not open any more. */
public final class SequenceStateException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final SequenceState state;

  SequenceStateException(String message, SequenceState state) {
    super(message);
    this.state = state;
  }

  /**
   * What has become of it.
   *
   * @return any state but OPEN
   */
  public SequenceState state() {
    return state;
  }
}
