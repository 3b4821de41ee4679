package dev.ebb.host.cache.index;

import dev.ebb.spi.RemovalCause;

/** Frees the owner's data of an entry. */
@FunctionalInterface
public interface RemovalListener {

  /**
   * Handles a removal. Called before anything else happens in the cache, under the owner's lock if
   * there is one. Must be quick, must not throw, and must not call the cache.
   */
  void removed(CacheEntry entry, RemovalCause cause);

  /**
   * Evicts a part of a chunk, which stays; its weight is taken from the entry after this. Returns
   * false if the part is in use, and therefore stays. Called as {@link #removed} is.
   */
  default boolean thins(CacheEntry entry, int group) {
    return true;
  }
}
