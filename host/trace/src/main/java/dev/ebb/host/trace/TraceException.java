package dev.ebb.host.trace;

import dev.ebb.host.errors.UserError;
import java.io.Serial;

/** Thrown when a trace cannot be read. The message is for the user and says how to fix it. */
public final class TraceException extends UserError {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates an exception.
   *
   * @param message file and line, what is wrong, and what to do
   */
  public TraceException(String message) {
    super(message);
  }
}
