package dev.ebb.host.scheduler;

/** The reason why a request has ended. */
public enum EndReason {
  /** It has all its output tokens, or the engine stopped it, as at an end-of-text token. */
  FINISHED,
  /** The client cancelled it. */
  CANCELLED,
  /** It goes on in another engine. */
  MOVED,
  /** The engine could not compute it. */
  FAILED,
  /** Refused: the queue was full. */
  QUEUE_FULL,
  /** Refused: it was not admitted before the queue timeout. */
  QUEUE_TIMEOUT,
  /** Refused: it would not fit into the memory even alone. */
  TOO_LONG;

  /** Returns whether the request was refused: it has never run. */
  public boolean refused() {
    return this == QUEUE_FULL || this == QUEUE_TIMEOUT || this == TOO_LONG;
  }
}
