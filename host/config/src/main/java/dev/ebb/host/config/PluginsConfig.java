package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.plugins}.
 *
 * @param keysFolder the certificates of those who may sign plugins; null for none
 */
public record PluginsConfig(
    Path folder,
    Path run,
    boolean reload,
    Duration rescan,
    OnRemoved onRemoved,
    List<String> allow,
    boolean requireSignature,
    @Nullable Path keysFolder,
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
  static final ConfigKey<Boolean> REQUIRE_SIGNATURE =
      KEYS.key("plugins.require-signature", "false", ValueType.FLAG)
          .fixed("Whether JARs must be [signed](plugins.md#signed-jars) by a trusted key.");
  static final ConfigKey<Optional<Path>> KEYS_FOLDER =
      KEYS.key("plugins.keys-folder", "\"\"", ValueType.OPTIONAL_PATH)
          .fixed("Folder of the certificates of trusted keys, PEM or DER; empty: none.");
  static final ConfigKey<Boolean> ALLOW_WRITABLE_FOLDER =
      KEYS.key("plugins.allow-writable-folder", "false", ValueType.FLAG)
          .fixed("Whether to load JARs that other users can write, or can replace.");

  public PluginsConfig {
    allow = List.copyOf(allow);
  }

  static PluginsConfig read(ConfigReader reader) {
    boolean requireSignature = reader.get(REQUIRE_SIGNATURE);
    Path keysFolder = reader.optionalPath(KEYS_FOLDER);
    if (requireSignature && keysFolder == null) {
      reader.problem(
          reader
              .setting(REQUIRE_SIGNATURE)
              .problem(
                  "needs %s, a folder with the certificates of trusted keys"
                      .formatted(KEYS_FOLDER)));
    }
    return new PluginsConfig(
        reader.path(FOLDER),
        reader.path(RUN),
        reader.get(RELOAD),
        reader.get(RESCAN),
        reader.get(ON_REMOVED),
        reader.get(ALLOW),
        requireSignature,
        keysFolder,
        reader.get(ALLOW_WRITABLE_FOLDER));
  }

  PluginsConfig withFolder(Path other) {
    return new PluginsConfig(
        other,
        run,
        reload,
        rescan,
        onRemoved,
        allow,
        requireSignature,
        keysFolder,
        allowWritableFolder);
  }
}
