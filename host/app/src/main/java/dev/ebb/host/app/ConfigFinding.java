package dev.ebb.host.app;

/**
 * One thing that was looked at before serving.
 *
 * @param level whether it is as it should be
 * @param subject what was looked at: {@code keys}, {@code plugins}, {@code policy}, {@code pool},
 *     {@code server} or {@code admin}
 * @param text what was found, on one line
 */
public record ConfigFinding(Level level, String subject, String text) {

  /** Whether something is as it should be. */
  public enum Level {
    /** It is. */
    OK,
    /** Perhaps not, but Ebb would serve. */
    WARNING,
    /** It is not, and Ebb would refuse to serve. */
    WRONG
  }
}
