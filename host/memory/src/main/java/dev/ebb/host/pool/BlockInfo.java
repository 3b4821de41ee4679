package dev.ebb.host.pool;

import org.jspecify.annotations.Nullable;

/**
 * The state of one block.
 *
 * @param block its number in the pool
 * @param references the number of users; 0 if it is free
 * @param owner its owner; of a free block the last one, null if there was none
 * @param pins the number of pins that keep it in place
 * @param lastAccess tick of the pool at which it was last allocated, shared or made writable;
 *     larger is later
 */
public record BlockInfo(
    int block, String device, int references, @Nullable String owner, int pins, long lastAccess) {

  /** Returns whether it has a pin and must stay in place. */
  public boolean pinned() {
    return pins > 0;
  }
}
