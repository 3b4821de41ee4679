package dev.ebb.host.plugin;

import dev.ebb.host.errors.UntrustedText;

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

  static PluginFailure of(String what, Throwable thrown) {
    return new PluginFailure(
        what + ": " + PluginErrors.of(thrown) + PluginErrors.where(thrown),
        UntrustedText.stack(thrown));
  }

  /** Returns the original stack trace as text, bounded, for logs. */
  public String stack() {
    return stack;
  }
}
