package dev.ebb.host.resp;

import dev.ebb.host.config.server.UserConfig;
import dev.ebb.host.config.server.UserRight;
import dev.ebb.host.login.PasswordHash;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Users for tests, all with one password. */
final class Accounts {

  static final String PASSWORD = "s3cret-of-users";

  static final PasswordHash HASH = PasswordHash.of(PASSWORD.toCharArray(), 100_000);

  /** One that reads and writes keys of a tenant, one that reads them, one that writes, a boss. */
  static final List<UserConfig> ALL =
      List.of(
          new UserConfig(
              "ann", HASH, EnumSet.of(UserRight.READ, UserRight.WRITE), List.of("ann:"), "ann"),
          new UserConfig("reader", HASH, EnumSet.of(UserRight.READ), List.of("ann:", "b:"), null),
          new UserConfig("writer", HASH, Set.of(UserRight.WRITE), List.of(), null),
          new UserConfig("boss", HASH, EnumSet.allOf(UserRight.class), List.of(), null));

  private Accounts() {}
}
