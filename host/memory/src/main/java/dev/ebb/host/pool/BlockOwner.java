package dev.ebb.host.pool;

import static java.util.Objects.requireNonNull;

/**
 * The owner of blocks: a sequence, the prefix cache, a client.
 *
 * @param name for messages, for example {@code sequence 17}
 */
public record BlockOwner(String name) {

  public BlockOwner {
    requireNonNull(name, "name is null");
  }
}
