package dev.ebb.host.trace;

import dev.ebb.host.errors.UserError;
import java.io.Serial;

/** A trace that cannot be read; the message is for the user and says what to do. */
public final class TraceException extends UserError {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * An exception for the user.
   *
   * @param message file and line, what is wrong, and what to do
   */
  public TraceException(String message) {
    super(message);
  }
}
