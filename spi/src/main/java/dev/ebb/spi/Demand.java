package dev.ebb.spi;

import org.jspecify.annotations.Nullable;

/**
 * The host's need when it asks for a victim. Reused by the host between calls.
 *
 * @since 1.0.0
 */
public interface Demand {

  /**
   * Returns how much has still to be freed in this pass.
   *
   * @return blocks, at least 1
   */
  long blocks();

  /**
   * Returns why space is needed.
   *
   * @return the reason of this pass
   */
  Reason reason();

  /**
   * Returns the priority of the requester that needs the space.
   *
   * @return as {@link Request#priority()}
   */
  int priority();

  /**
   * Returns the tenant that needs the space.
   *
   * @return the tenant's name, or null if unknown
   */
  @Nullable String tenant();

  /**
   * The reason for which space is needed. More reasons may be added.
   *
   * @since 1.0.0
   */
  enum Reason {
    /** A request waits for the blocks. */
    ALLOCATION,
    /** Occupancy passed the threshold; the host frees blocks ahead of demand. */
    BACKGROUND,
    /** An operator requested it. */
    MANUAL,
    /** The capacity became smaller. */
    RESIZE
  }
}
