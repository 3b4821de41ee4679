package dev.ebb.host.plugin;

/** What became of a JAR in the drop-in folder. */
public enum PluginState {
  /** Its strategies can be chosen. */
  LOADED,
  /** It is not loaded, for the reason given. */
  REFUSED,
  /** Another JAR of the same plugin serves instead. */
  PASSED_OVER,
  /** It changed a moment ago, so it is not looked at yet. */
  COPYING
}
