package dev.ebb.host.config.server;

import dev.ebb.host.config.key.Section;
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

  private static final ListenConfig.Keys LISTEN = ListenConfig.Keys.of("admin", "token", true);

  public static final Section<AdminConfig> SECTION =
      new Section<>(AdminConfig.class, "admin")
          .fixed("enabled", ValueType.choice(AdminChoice.class))
          .read(LISTEN::read, LISTEN.all());
}
