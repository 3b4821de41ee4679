package dev.ebb.host.pool;

import org.jspecify.annotations.Nullable;

/**
 * What is known of one block.
 *
 * @param block its number in the pool
 * @param device the name of the device it lies on
 * @param state what it is doing
 * @param references how many users it has, a migration among them; 0 if it is free
 * @param owner for whom it was allocated; of a free block the last one, null if there was none
 * @param pins how many pins keep it where it is
 * @param lastAccess tick of the pool at which it was last allocated, shared or made writable;
 *     larger is later
 */
public record BlockInfo(
    int block,
    String device,
    BlockState state,
    int references,
    @Nullable String owner,
    int pins,
    long lastAccess) {

  /**
   * Whether it must stay where it is.
   *
   * @return true while it has a pin
   */
  public boolean pinned() {
    return pins > 0;
  }
}
