package dev.ebb.host.config.server;

import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.ValueType;
import dev.ebb.host.text.KeyText;

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

  private static final ListenConfig.Keys LISTEN = ListenConfig.Keys.of("admin", "token", true);

  public static final Section<AdminConfig> SECTION =
      new Section<>(AdminConfig.class, "admin")
          .fixed("enabled", ValueType.choice(AdminChoice.class))
          .read(AdminConfig::listen, LISTEN.all());

  /** Clients send the token in an HTTP header. */
  private static ListenConfig listen(ConfigReader reader) {
    ListenConfig listen = LISTEN.read(reader);
    String token = listen.secret();
    if (token != null && !KeyText.isVisibleAscii(token)) {
      reader.problem(
          reader
              .setting(LISTEN.secret())
              .problem(
                  "must have ASCII characters without spaces, for example the output of 'openssl rand -hex 32'"));
    }
    return listen;
  }
}
