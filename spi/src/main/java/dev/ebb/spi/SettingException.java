package dev.ebb.spi;

/**
 * Thrown when a setting is wrong. The message says which, what is allowed and, where known, file
 * and line. The user sees it as it is, without a stack trace.
 *
 * @since 1.0.0
 */
public class SettingException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception with a message for the user.
   *
   * @param message the value in quotes, what is allowed, what to do
   */
  public SettingException(String message) {
    super(message);
  }
}
