package dev.ebb.host.app;

/**
 * One finding before serving.
 *
 * @param level whether it is correct
 * @param subject the checked part: {@code keys}, {@code plugins}, {@code policy}, {@code pool},
 *     {@code server} or {@code admin}
 * @param text the finding, on one line
 */
public record ConfigFinding(Level level, String subject, String text) {

  /** The severity of a finding. */
  public enum Level {
    OK,
    /** Suspicious, but Ebb would serve. */
    WARNING,
    /** Wrong: Ebb would refuse to serve. */
    WRONG
  }
}
