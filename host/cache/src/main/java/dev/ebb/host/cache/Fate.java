package dev.ebb.host.cache;

/**
 * Hears what becomes of a policy that a cache was given. Called under the owner's lock or on the
 * policy's thread: quick, throws nothing, and does not call the cache.
 */
public interface Fate {

  /** Nobody hears. */
  Fate UNHEARD = new Fate() {};

  /**
   * The policy broke its contract, and is let go.
   *
   * @param fault how; the owner's lock is held
   */
  default void failed(PolicyFault fault) {}

  /** The policy has been closed: the cache runs no code of it any more. */
  default void closed() {}
}
