package dev.ebb.host.cache;

import dev.ebb.spi.RemovalCause;

/** Frees what the owner holds for an entry. */
@FunctionalInterface
public interface RemovalListener {

  /**
   * An entry is removed. Called before anything else happens in the cache, by the thread that uses
   * it: with an owner's lock, under that lock. Must be quick, must not throw, and must not call the
   * cache.
   *
   * @param entry the entry, its slot still its own
   * @param cause why it is removed
   */
  void removed(CacheEntry entry, RemovalCause cause);
}
