package dev.ebb.spi;

/**
 * The way in which a policy came to hold an entry.
 *
 * @since 1.0.0
 */
public enum Origin {
  /** It became resident just now. */
  NEW,

  /**
   * It was resident before: a policy that takes over receives the residents in order of last
   * access, coldest first.
   */
  HANDED_OVER
}
