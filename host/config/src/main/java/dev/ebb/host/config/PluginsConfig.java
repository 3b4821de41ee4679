package dev.ebb.host.config;

import static dev.ebb.host.config.ValueType.FLAG;
import static dev.ebb.host.config.ValueType.HASHES;
import static dev.ebb.host.config.ValueType.INTERVAL;
import static dev.ebb.host.config.ValueType.PATH;
import static dev.ebb.host.config.ValueType.choice;

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
      KEYS.key("plugins.folder", "plugins", PATH).fixed("Folder of plugin JARs; must exist.");
  static final ConfigKey<Path> RUN =
      KEYS.key("plugins.run", "run", PATH)
          .fixed(
              "Private folder for loaded copies; created if missing; a temporary folder if not writable.");
  static final ConfigKey<Boolean> RELOAD =
      KEYS.key("plugins.reload", "true", FLAG)
          .fixed("Whether a running Ebb applies changes of JARs and of the configuration file.");
  static final ConfigKey<Duration> RESCAN =
      KEYS.key("plugins.rescan", "10 s", INTERVAL)
          .fixed("Time between checks if the operating system reports no changes.");
  static final ConfigKey<OnRemoved> ON_REMOVED =
      KEYS.key("plugins.on-removed", "keep", choice(OnRemoved.class))
          .fixed(
              "If the active policy's JAR is removed: `keep` its loaded copy, or `fall-back` to `builtin-lru`.");
  static final ConfigKey<List<String>> ALLOW =
      KEYS.key("plugins.allow", "[]", HASHES)
          .fixed(
              "SHA-256 of each JAR that may be loaded; `ebb plugins list --json` shows them. Empty: all.");
  static final ConfigKey<Boolean> ALLOW_WRITABLE_FOLDER =
      KEYS.key("plugins.allow-writable-folder", "false", FLAG)
          .fixed("Whether to load JARs that users other than the owner can write.");

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
