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

  /** The action when the JAR of the active policy is removed from the plugin folder. */
  public enum OnRemoved {
    /** Its private copy continues to serve. */
    KEEP,
    /** The host's own order takes over. */
    FALL_BACK
  }

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<Path> FOLDER = KEYS.fixed("plugins.folder", ValueType.PATH);
  static final ConfigKey<Path> RUN = KEYS.fixed("plugins.run", ValueType.PATH);
  static final ConfigKey<Boolean> RELOAD = KEYS.fixed("plugins.reload", ValueType.FLAG);
  static final ConfigKey<Duration> RESCAN = KEYS.fixed("plugins.rescan", ValueType.INTERVAL);
  static final ConfigKey<OnRemoved> ON_REMOVED =
      KEYS.fixed("plugins.on-removed", ValueType.choice(OnRemoved.class));
  static final ConfigKey<List<String>> ALLOW = KEYS.fixed("plugins.allow", ValueType.HASHES);
  static final ConfigKey<Boolean> REQUIRE_SIGNATURE =
      KEYS.fixed("plugins.require-signature", ValueType.FLAG);
  static final ConfigKey<Optional<Path>> KEYS_FOLDER =
      KEYS.fixed("plugins.keys-folder", ValueType.OPTIONAL_PATH);
  static final ConfigKey<Boolean> ALLOW_WRITABLE_FOLDER =
      KEYS.fixed("plugins.allow-writable-folder", ValueType.FLAG);

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
