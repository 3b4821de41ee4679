package dev.ebb.host.plugin;

import org.jspecify.annotations.Nullable;

/**
 * The code behind a strategy's name, as text.
 *
 * @param plugin the id of the plugin that offers it; null for the host's own
 * @param version that plugin's version; null for the host's own
 * @param sha256 of the plugin's JAR, in hexadecimal; null for the host's own
 */
public record StrategyVersion(
    String name, @Nullable String plugin, @Nullable String version, @Nullable String sha256) {

  private static final int SHOWN_DIGITS = 12;

  /** Returns a strategy of the host's own. */
  public static StrategyVersion builtIn(String name) {
    return new StrategyVersion(name, null, null, null);
  }

  @Override
  public String toString() {
    return plugin == null
        ? "'%s' (built in)".formatted(name)
        : "'%s' of plugin '%s' %s (%s)"
            .formatted(name, plugin, version, String.valueOf(sha256).substring(0, SHOWN_DIGITS));
  }
}
