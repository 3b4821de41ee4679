package dev.ebb.host.resp.session;

/** Thrown for bytes that are not RESP. The connection receives the text and is closed. */
public final class ProtocolException extends Exception {

  private static final long serialVersionUID = 1L;

  public ProtocolException(String message) {
    super("ERR Protocol error: " + message, null, false, false);
  }
}
