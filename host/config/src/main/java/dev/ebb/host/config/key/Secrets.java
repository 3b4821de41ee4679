package dev.ebb.host.config.key;

import dev.ebb.host.config.ConfigKeys;
import dev.ebb.host.config.TracingConfig;
import dev.ebb.host.config.engine.EngineConfig;
import dev.ebb.host.config.server.UserConfig;
import java.util.List;
import java.util.regex.Pattern;

/** Which values must not be shown: passwords and tokens of Ebb, and of plugins by their names. */
public final class Secrets {

  /** Stands in a message for a value. */
  static final String HIDDEN = "(value not shown)";

  private static final Pattern NAME =
      Pattern.compile(
          "(?i)(.*[-_.])?(password|passwd|passphrase|secret|token|credentials?|(api|private|access)[-_]?key)([-_]hash)?");

  private Secrets() {}

  /** Returns what is shown of a secret: whether it is set. */
  public static String state(Object value) {
    return List.of("", "[]").contains(String.valueOf(value)) ? "" : "(set)";
  }

  /** Returns whether the value of a full path is a secret. */
  public static boolean is(String path) {
    return ConfigKeys.find(path)
        .filter(key -> !key.isSection())
        .map(ConfigKey::isSecret)
        .orElseGet(() -> isName(path.substring(path.lastIndexOf('.') + 1).replace("\"", "")));
  }

  /** Returns whether a path is that of a secret, or of a section with one. */
  static boolean isWithin(String path) {
    return is(path)
        || UserConfig.holdsHash(path)
        || EngineConfig.holdsKey(path)
        || TracingConfig.holdsHeader(path)
        || ConfigKeys.ALL.stream()
            .anyMatch(key -> key.isSecret() && key.path().startsWith(path + "."));
  }

  /** Returns whether a plugin's setting of this name is a secret. */
  static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }
}
