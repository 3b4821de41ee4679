package dev.ebb.host.store;

import org.jspecify.annotations.Nullable;

/**
 * Receives values that the policy evicts, with their bytes, to keep them elsewhere.
 *
 * <p>Called while a part of the store is locked: implementations return quickly, do not wait, and
 * do not call the store.
 */
public interface EvictionListener {

  EvictionListener NONE = new EvictionListener() {};

  /**
   * Returns whether a value that is being evicted should be passed on. Its memory is freed only
   * when it has been read, so listeners bound what they want.
   */
  default boolean wants(EvictedValue value) {
    return false;
  }

  /** Returns whether values that are passed on are read within moments. */
  default boolean isBrief() {
    return false;
  }

  /**
   * Returns what a value that is being evicted is passed on to; null if it is dropped. Called
   * before {@link #evicted}, with what {@link #wants} needs.
   */
  default @Nullable EvictionListener taker(EvictedValue value) {
    return wants(value) ? this : null;
  }

  /** Returns a listener that passes to another one what this one does not want. */
  default EvictionListener or(EvictionListener other) {
    EvictionListener first = this;
    return new EvictionListener() {
      @Override
      public @Nullable EvictionListener taker(EvictedValue value) {
        EvictionListener taker = first.taker(value);
        return taker == null ? other.taker(value) : taker;
      }
    };
  }

  /**
   * Passes a value on that is not in the store any more. Its reader is to be closed soon, not here.
   */
  default void evicted(EvictedValue value, ValueReader reader) {
    reader.close();
  }
}
