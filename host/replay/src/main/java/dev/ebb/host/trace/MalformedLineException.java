package dev.ebb.host.trace;

import java.io.Serial;

/** What is wrong with one line; whoever knows file and line number adds them. */
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
