package dev.ebb.host.store.tile;

/** What is known about the key before each key. */
public interface KnownOrder {

  /** The predecessor of the first key of a prompt. */
  long NONE = 0;

  /** Returns whether it is nearly certain which key precedes a key. */
  boolean isSure(long key);

  /** Returns whether it is known, or has been assumed, which key precedes a key. */
  boolean isKnown(long key);

  /** Returns the key before one that {@link #isKnown}; {@link #NONE} if it is the first. */
  long before(long key);
}
