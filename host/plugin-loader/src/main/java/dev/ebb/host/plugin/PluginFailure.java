package dev.ebb.host.plugin;

import dev.ebb.host.errors.UntrustedText;
import org.jspecify.annotations.Nullable;

/**
 * A plugin's code threw. Carries text only: an exception kept with its stack trace would keep the
 * plugin's classes in memory.
 */
public final class PluginFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String stack;

  private PluginFailure(String message, String stack) {
    super(message, null, false, false);
    this.stack = stack;
  }

  /**
   * Of what was thrown.
   *
   * @param what what was done, for the message
   * @param loader the plugin's, to name the line of its own; null if it has none
   */
  static PluginFailure of(String what, Throwable thrown, @Nullable ClassLoader loader) {
    return new PluginFailure(
        what + ": " + PluginErrors.of(thrown) + PluginErrors.where(thrown, loader),
        UntrustedText.stack(thrown));
  }

  /**
   * Where it was thrown, for logs.
   *
   * @return the original stack trace as text, bounded
   */
  public String stack() {
    return stack;
  }
}
