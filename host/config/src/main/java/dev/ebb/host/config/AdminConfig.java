package dev.ebb.host.config;

import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.admin}.
 *
 * @param token the callers' credential; null for none
 */
public record AdminConfig(AdminChoice enabled, String bind, int port, @Nullable String token) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<AdminChoice> ENABLED =
      KEYS.key("admin.enabled", "auto", ValueType.choice(AdminChoice.class))
          .fixed("The [admin API](admin.md): `auto` in `ebb serve`, `true` in engines too.");
  static final ConfigKey<String> BIND =
      KEYS.key("admin.bind", "\"127.0.0.1\"", ValueType.TEXT)
          .fixed("Its address. A non-loopback address needs a token.");
  static final ConfigKey<Integer> PORT =
      KEYS.key("admin.port", "9090", ValueType.integer(0, 65_535))
          .fixed("Its port; 0 for any free port.");
  static final ConfigKey<String> TOKEN =
      KEYS.key("admin.token", "\"\"", ValueType.SECRET)
          .fixed("The token for `Authorization: Bearer <token>`; empty: none.");

  static AdminConfig read(ConfigReader reader) {
    return new AdminConfig(
        reader.get(ENABLED), reader.get(BIND), reader.get(PORT), reader.secret(TOKEN));
  }
}
