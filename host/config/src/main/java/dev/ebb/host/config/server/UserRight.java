package dev.ebb.host.config.server;

/** A right of a user: a choice of {@code ebb.server.users.<name>.rights}. */
public enum UserRight {
  /** Read values. */
  READ,
  /** Store, delete and pin values. */
  WRITE,
  /** Remove all values, and see clients, users and settings. */
  ADMIN
}
