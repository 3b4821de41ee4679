package dev.ebb.host.plugin;

/** Thrown when a JAR cannot be loaded. The message says why, so that its author can fix it. */
final class PluginRefusal extends RuntimeException {

  private static final long serialVersionUID = 1L;

  // Neither cause nor stack trace: both would keep the plugin's classes in memory.
  PluginRefusal(String reason) {
    super(reason, null, false, false);
  }

  String reason() {
    return String.valueOf(getMessage());
  }
}
