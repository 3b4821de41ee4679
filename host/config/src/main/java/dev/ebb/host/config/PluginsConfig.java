package dev.ebb.host.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** {@code ebb.plugins}. */
public record PluginsConfig(
    Path folder,
    Path run,
    boolean reload,
    Duration rescan,
    OnRemoved onRemoved,
    List<String> allow,
    boolean allowWritableFolder) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<Path> FOLDER =
      KEYS.key("plugins.folder", "plugins", ValueType.PATH)
          .fixed("Folder of plugin JARs; must exist.");
  static final ConfigKey<Path> RUN =
      KEYS.key("plugins.run", "run", ValueType.PATH)
          .fixed(
              "Private folder for loaded copies; created if missing, temporary if not writable.");
  static final ConfigKey<Boolean> RELOAD =
      KEYS.key("plugins.reload", "true", ValueType.FLAG)
          .fixed("Whether a running Ebb applies changes of JARs and of the configuration file.");
  static final ConfigKey<Duration> RESCAN =
      KEYS.key("plugins.rescan", "10 s", ValueType.INTERVAL)
          .fixed("Time between checks if the operating system reports no changes.");
  static final ConfigKey<OnRemoved> ON_REMOVED =
      KEYS.key("plugins.on-removed", "keep", ValueType.choice(OnRemoved.class))
          .fixed(
              "If the active policy's JAR is removed: `keep` it, or `fall-back` to `builtin-lru`.");
  static final ConfigKey<List<String>> ALLOW =
      KEYS.key("plugins.allow", "[]", ValueType.HASHES)
          .fixed("JARs that may be loaded, as `ebb plugins list --json` shows them; empty: all.");
  static final ConfigKey<Boolean> ALLOW_WRITABLE_FOLDER =
      KEYS.key("plugins.allow-writable-folder", "false", ValueType.FLAG)
          .fixed("Whether to load JARs that other users can write, or can replace.");

  public PluginsConfig {
    allow = List.copyOf(allow);
  }

  static PluginsConfig read(ConfigReader reader) {
    return new PluginsConfig(
        reader.path(FOLDER),
        reader.path(RUN),
        reader.get(RELOAD),
        reader.get(RESCAN),
        reader.get(ON_REMOVED),
        reader.get(ALLOW),
        reader.get(ALLOW_WRITABLE_FOLDER));
  }

  PluginsConfig withFolder(Path other) {
    return new PluginsConfig(other, run, reload, rescan, onRemoved, allow, allowWritableFolder);
  }
}
