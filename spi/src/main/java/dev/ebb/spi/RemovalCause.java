package dev.ebb.spi;

/**
 * The reason why an entry was removed. More causes may be added: call {@link #forCapacity} instead
 * of switching over the constants.
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
  /** It was held as a probation candidate and was not admitted. */
  NOT_ADMITTED(true);

  private final boolean forCapacity;

  RemovalCause(boolean forCapacity) {
    this.forCapacity = forCapacity;
  }

  /**
   * Returns whether it was removed to make room. Only such entries belong in a ghost list: the
   * others were not judged worthless.
   *
   * @return true if room was the reason
   */
  public boolean forCapacity() {
    return forCapacity;
  }
}
