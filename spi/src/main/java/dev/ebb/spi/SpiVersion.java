package dev.ebb.spi;

/**
 * The version of this contract, against which a plugin's {@code Plugin-Requires} is checked.
 *
 * @since 1.0.0
 */
public final class SpiVersion {

  private SpiVersion() {}

  /**
   * Returns the version of the contract at run time.
   *
   * @return a semantic version such as {@code "1.7.0"}
   */
  public static String current() {
    return "1.7.0";
  }
}
