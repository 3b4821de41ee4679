package dev.ebb.host.pool;

import static java.util.Objects.requireNonNull;

/**
 * Who blocks are allocated for: a sequence, the prefix cache, a client.
 *
 * @param name for messages, for example {@code sequence 17}
 */
public record BlockOwner(String name) {

  /** Checks the name. */
  public BlockOwner {
    requireNonNull(name, "name is null");
  }
}
