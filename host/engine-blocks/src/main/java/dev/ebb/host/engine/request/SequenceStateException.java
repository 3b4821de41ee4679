package dev.ebb.host.engine.request;

import org.jspecify.annotations.Nullable;

/** Thrown when a sequence that is not open is used. */
public final class SequenceStateException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final SequenceState state;

  /** Creates an exception; {@code preemptedBy} completes "was preempted by". */
  public SequenceStateException(long id, SequenceState state, @Nullable String preemptedBy) {
    super(
        state == SequenceState.PREEMPTED
            ? "sequence '%d' was preempted by %s; open it again".formatted(id, preemptedBy)
            : "sequence '%d' is '%s'; open another one".formatted(id, state));
    this.state = state;
  }

  /** Returns the state, which is not OPEN. */
  public SequenceState state() {
    return state;
  }
}
