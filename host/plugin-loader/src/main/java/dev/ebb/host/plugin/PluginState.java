package dev.ebb.host.plugin;

/** The state of a JAR in the plugin folder. */
public enum PluginState {
  /** Its strategies can be chosen. */
  LOADED,
  /** It is not loaded, for the reason given. */
  REFUSED,
  /** Another JAR of the same plugin serves instead. */
  PASSED_OVER,
  /** It changed just now, so it is not read yet. */
  COPYING
}
