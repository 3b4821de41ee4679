package dev.ebb.host.enginebench;

/** A request that got no complete answer. */
final class EngineException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** The reason, by which failures are counted. */
  enum Kind {
    /** No connection, or it broke before the answer began. */
    CONNECTION("connection"),
    TIMEOUT("timeout"),
    /** A status other than 200. */
    STATUS("HTTP"),
    /** An error inside the stream. */
    REPORTED("error in the stream"),
    /** The stream ended or broke before the answer was complete. */
    INCOMPLETE("incomplete stream"),
    /** The answer is not one of OpenAI's API. */
    MALFORMED("malformed answer");

    private final String label;

    Kind(String label) {
      this.label = label;
    }
  }

  private final Kind kind;
  private final int status;
  private final boolean tooLong;

  EngineException(Kind kind, String message) {
    this(kind, 0, false, message);
  }

  /** Creates the failure of a request that the server refused with a status. */
  EngineException(int status, boolean tooLong, String message) {
    this(Kind.STATUS, status, tooLong, message);
  }

  private EngineException(Kind kind, int status, boolean tooLong, String message) {
    super(message, null, false, false);
    this.kind = kind;
    this.status = status;
    this.tooLong = tooLong;
  }

  Kind kind() {
    return kind;
  }

  int status() {
    return status;
  }

  boolean isTooLong() {
    return tooLong;
  }

  /** Returns the name under which the failure is counted. */
  String label() {
    return kind == Kind.STATUS ? kind.label + " " + status : kind.label;
  }

  String text() {
    return String.valueOf(getMessage());
  }
}
