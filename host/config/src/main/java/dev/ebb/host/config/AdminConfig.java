package dev.ebb.host.config;

import static dev.ebb.host.config.ValueType.SECRET;
import static dev.ebb.host.config.ValueType.TEXT;
import static dev.ebb.host.config.ValueType.choice;
import static dev.ebb.host.config.ValueType.integer;

import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.admin}.
 *
 * @param token the callers' credential; null for none
 */
public record AdminConfig(AdminChoice enabled, String bind, int port, @Nullable String token) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<AdminChoice> ENABLED =
      KEYS.key("admin.enabled", "auto", choice(AdminChoice.class))
          .fixed(
              "The [admin API](admin.md): `auto` (in `ebb serve`), `true` (in embedded engines too), `false`.");
  static final ConfigKey<String> BIND =
      KEYS.key("admin.bind", "\"127.0.0.1\"", TEXT)
          .fixed("Its address. A non-loopback address needs a token.");
  static final ConfigKey<Integer> PORT =
      KEYS.key("admin.port", "9090", integer(0, 65_535)).fixed("Its port; 0 for any free port.");
  static final ConfigKey<String> TOKEN =
      KEYS.key("admin.token", "\"\"", SECRET)
          .fixed("The token for `Authorization: Bearer <token>`; empty: none.");

  static AdminConfig read(ConfigReader reader) {
    return new AdminConfig(
        reader.get(ENABLED), reader.get(BIND), reader.get(PORT), reader.secret(TOKEN));
  }
}
