package dev.ebb.host.http;

/** An error response to a request, with its HTTP status. */
public final class HttpException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int status;

  /**
   * Creates an error.
   *
   * @param status 400 to 599
   * @param message the wrong value in quotes, what is allowed, what to do
   */
  public HttpException(int status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  /**
   * Returns an error for an invalid request.
   *
   * @param message the wrong value in quotes, what is allowed, what to do
   * @return an error with status 400
   */
  public static HttpException bad(String message) {
    return new HttpException(400, message);
  }

  /**
   * Returns the HTTP status.
   *
   * @return 400 to 599
   */
  public int status() {
    return status;
  }

  /** Returns the error message. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
