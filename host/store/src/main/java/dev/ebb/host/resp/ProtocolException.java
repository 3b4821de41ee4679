package dev.ebb.host.resp;

/** What a client sent is not RESP. The connection gets the text and is closed. */
final class ProtocolException extends Exception {

  private static final long serialVersionUID = 1L;

  ProtocolException(String message) {
    super("ERR Protocol error: " + message, null, false, false);
  }
}
