package dev.ebb.host.http;

/** An error response to a request, with its HTTP status. */
public final class HttpException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int status;

  /**
   * Creates an error whose message has the wrong value in quotes, what is allowed, and what to do.
   */
  public HttpException(int status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  public static HttpException bad(String message) {
    return new HttpException(400, message);
  }

  public int status() {
    return status;
  }

  public String reason() {
    return String.valueOf(getMessage());
  }
}
