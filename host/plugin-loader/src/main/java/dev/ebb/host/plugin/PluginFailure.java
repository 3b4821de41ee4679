package dev.ebb.host.plugin;

import dev.ebb.host.errors.UntrustedText;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a plugin's code threw. It carries text only: an exception kept with its stack trace
 * would keep the plugin's classes in memory.
 */
public final class PluginFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String stack;

  private PluginFailure(String message, String stack) {
    super(message, null, false, false);
    this.stack = stack;
  }

  /**
   * Creates a failure from an exception.
   *
   * @param loader the plugin's, to name the line of its own; null if it has none
   */
  static PluginFailure of(String what, Throwable thrown, @Nullable ClassLoader loader) {
    return new PluginFailure(
        what + ": " + PluginErrors.of(thrown) + PluginErrors.where(thrown, loader),
        UntrustedText.stack(thrown));
  }

  /** Returns the original stack trace as text, bounded, for logs. */
  public String stack() {
    return stack;
  }
}
