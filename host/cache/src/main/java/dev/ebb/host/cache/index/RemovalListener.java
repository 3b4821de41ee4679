package dev.ebb.host.cache.index;

import dev.ebb.spi.RemovalCause;

/** Frees the owner's data of an entry. */
@FunctionalInterface
public interface RemovalListener {

  /**
   * Handles a removal. Called before anything else happens in the cache, under the owner's lock if
   * there is one. Must be quick, must not throw, and must not call the cache.
   *
   * @param entry the entry, its slot still its own
   * @param cause the cause
   */
  void removed(CacheEntry entry, RemovalCause cause);

  /**
   * Evicts a part of a chunk, whose weight is taken from the entry after this. Called as {@link
   * #removed} is.
   *
   * @param entry the chunk, which stays
   * @param group the number of the part's object group
   * @return false if the part is in use, and therefore stays
   */
  default boolean thins(CacheEntry entry, int group) {
    return true;
  }
}
