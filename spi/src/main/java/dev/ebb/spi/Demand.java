package dev.ebb.spi;

import org.jspecify.annotations.Nullable;

/**
 * What the host needs when it asks for a victim. Reused by the host between calls.
 *
 * @since 1.0.0
 */
public interface Demand {

  /**
   * How much has still to be freed in this pass.
   *
   * @return blocks, at least 1
   */
  long blocks();

  /**
   * Why room is needed.
   *
   * @return the reason of this pass
   */
  Reason reason();

  /**
   * The importance of whoever needs the room.
   *
   * @return as {@link Request#priority()}
   */
  int priority();

  /**
   * Who needs the room.
   *
   * @return the tenant's name, or null if unknown
   */
  @Nullable String tenant();

  /**
   * Why room is needed. More reasons may be added.
   *
   * @since 1.0.0
   */
  enum Reason {
    /** A request waits for the blocks. */
    ALLOCATION,
    /** Occupancy passed the threshold; freed ahead of demand. */
    BACKGROUND,
    /** An operator asked. */
    MANUAL,
    /** The capacity became smaller. */
    RESIZE
  }
}
