package dev.ebb.host.authoring;

/**
 * What one check of a JAR found.
 *
 * @param strategy which of its strategies, such as {@code policy warm}; {@code plugin} for the JAR
 *     as a whole
 * @param check what was looked at
 * @param passed whether all is well
 * @param message what is wrong and what to do, or what was seen; may be empty
 */
public record Finding(String strategy, String check, boolean passed, String message) {

  /** Of the JAR as a whole. */
  static Finding ofPlugin(String check, boolean passed, String message) {
    return new Finding("plugin", check, passed, message);
  }
}
