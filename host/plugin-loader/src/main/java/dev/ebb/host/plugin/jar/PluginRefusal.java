package dev.ebb.host.plugin.jar;

/** Thrown when a JAR cannot be loaded. The message says why, so that its author can fix it. */
public final class PluginRefusal extends RuntimeException {

  private static final long serialVersionUID = 1L;

  // Neither cause nor stack trace: both would keep the plugin's classes in memory.
  public PluginRefusal(String reason) {
    super(reason, null, false, false);
  }

  public String reason() {
    return String.valueOf(getMessage());
  }
}
