package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.Section;
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

  /** The action when the JAR of the active policy is removed from the plugin folder. */
  public enum OnRemoved {
    /** Its private copy continues to serve. */
    KEEP,
    /** The host's own order takes over. */
    FALL_BACK
  }

  private static final ConfigKey<Boolean> REQUIRE_SIGNATURE =
      ConfigKey.fixed("plugins.require-signature", ValueType.FLAG);
  private static final ConfigKey<Optional<Path>> KEYS_FOLDER =
      ConfigKey.fixed("plugins.keys-folder", ValueType.OPTIONAL_PATH);

  static final Section<PluginsConfig> SECTION =
      new Section<>(PluginsConfig.class, "plugins")
          .fixed("folder", ValueType.PATH)
          .fixed("run", ValueType.PATH)
          .fixed("reload", ValueType.FLAG)
          .fixed("rescan", ValueType.INTERVAL)
          .fixed("on-removed", ValueType.choice(OnRemoved.class))
          .fixed("allow", ValueType.HASHES)
          .key(REQUIRE_SIGNATURE)
          .read(PluginsConfig::keysFolder, KEYS_FOLDER)
          .fixed("allow-writable-folder", ValueType.FLAG);

  public PluginsConfig {
    allow = List.copyOf(allow);
  }

  private static @Nullable Path keysFolder(ConfigReader reader) {
    Path keysFolder = reader.optionalPath(KEYS_FOLDER);
    if (reader.get(REQUIRE_SIGNATURE) && keysFolder == null) {
      reader.problem(
          reader
              .setting(REQUIRE_SIGNATURE)
              .problem(
                  "needs %s, a folder with the certificates of trusted keys"
                      .formatted(KEYS_FOLDER)));
    }
    return keysFolder;
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
