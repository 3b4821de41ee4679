package dev.ebb.host.http;

/** A call that cannot be served, with the status that says why. */
public final class HttpException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int status;

  /**
   * A refusal.
   *
   * @param status 400 to 599
   * @param message the wrong value in quotes, what is allowed, what to do
   */
  public HttpException(int status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  /**
   * A call that is wrong in itself.
   *
   * @param message the wrong value in quotes, what is allowed, what to do
   * @return a refusal with status 400
   */
  public static HttpException bad(String message) {
    return new HttpException(400, message);
  }

  /**
   * What to answer.
   *
   * @return 400 to 599
   */
  public int status() {
    return status;
  }

  /**
   * Why.
   *
   * @return one line
   */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
