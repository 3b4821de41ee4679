package dev.ebb.host.config.server;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;
import dev.ebb.host.config.server.ListenConfig.Secret;

/** {@code ebb.admin}. */
public record AdminConfig(AdminChoice enabled, ListenConfig listen) {

  public static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<AdminChoice> ENABLED =
      KEYS.key("admin.enabled", "auto", ValueType.choice(AdminChoice.class))
          .fixed("The [admin API](admin.md): `auto` in `ebb serve`, `true` in engines too.");
  static final ListenConfig.Keys LISTEN =
      ListenConfig.Keys.withTls(
          KEYS,
          "admin",
          "HTTP",
          9_090,
          new Secret("token", "The token for `Authorization: Bearer <token>`; empty: none."));

  public static AdminConfig read(ConfigReader reader) {
    return new AdminConfig(reader.get(ENABLED), LISTEN.read(reader));
  }
}
