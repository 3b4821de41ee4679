package dev.ebb.spi;

/**
 * A setting is wrong. The message says which, what is allowed and, where known, file and line; it
 * is shown to the user as it is, without a stack trace.
 *
 * @since 1.0.0
 */
public class SettingException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * A wrong setting.
   *
   * @param message the value in quotes, what is allowed, what to do
   */
  public SettingException(String message) {
    super(message);
  }
}
