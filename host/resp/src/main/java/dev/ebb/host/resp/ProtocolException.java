package dev.ebb.host.resp;

/** Thrown for bytes that are not RESP. The connection receives the text and is closed. */
final class ProtocolException extends Exception {

  private static final long serialVersionUID = 1L;

  ProtocolException(String message) {
    super("ERR Protocol error: " + message, null, false, false);
  }
}
