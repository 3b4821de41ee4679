package dev.ebb.host.trace;

import java.io.Serial;

/** Thrown for a malformed line; the caller adds file and line number. */
final class MalformedLineException extends Exception {

  @Serial private static final long serialVersionUID = 1L;

  private final String reason;

  MalformedLineException(String reason) {
    super(reason, null, false, false);
    this.reason = reason;
  }

  String reason() {
    return reason;
  }
}
