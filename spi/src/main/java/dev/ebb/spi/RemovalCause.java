package dev.ebb.spi;

/**
 * Why an entry left. More causes may be added; ask the cause about itself instead of switching over
 * it.
 *
 * @since 1.0.0
 */
public enum RemovalCause {
  /** The policy offered it, and the host needed the room. */
  EVICTED(true),
  /** Its time to live ended. */
  EXPIRED(false),
  /** A client or an operator deleted it. */
  DELETED(false),
  /** A new value took its key. */
  REPLACED(false),
  /** It moved to another device, with its content. */
  MIGRATED(false),
  /** It moved to a slower tier, to make room here. */
  DEMOTED(true),
  /** It was held on trial and did not earn its place. */
  NOT_ADMITTED(true);

  private final boolean forCapacity;

  RemovalCause(boolean forCapacity) {
    this.forCapacity = forCapacity;
  }

  /**
   * Whether it left to make room. Only such entries belong in a ghost list: the others did not
   * leave because they were judged worthless.
   *
   * @return true if room was the reason
   */
  public boolean forCapacity() {
    return forCapacity;
  }
}
