package dev.ebb.host.config.server;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;

/** {@code ebb.admin}. */
public record AdminConfig(AdminChoice enabled, ListenConfig listen) {

  /** The processes that open the admin server. */
  public enum AdminChoice {
    /** A serving process, but not an embedded one. */
    AUTO,
    /** An embedded one too. */
    TRUE,
    FALSE
  }

  public static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<AdminChoice> ENABLED =
      KEYS.fixed("admin.enabled", ValueType.choice(AdminChoice.class));
  static final ListenConfig.Keys LISTEN = ListenConfig.Keys.of(KEYS, "admin", "token", true);

  public static AdminConfig read(ConfigReader reader) {
    return new AdminConfig(reader.get(ENABLED), LISTEN.read(reader));
  }
}
