package dev.ebb.host.cache;

import dev.ebb.spi.RemovalCause;

/**
 * Receives every request, hit or miss, while the event stream reports what the cache made of it.
 * Called under the owner's lock: quick, and never calls back. A key is the lower 64 bits of its
 * hash.
 */
public interface AccessListener {

  /**
   * A request has begun: its blocks and how many of them matched.
   *
   * @param request to be read during the call only
   */
  void began(CacheRequest request);

  /**
   * A block was cached behind the blocks of a request: what an answer adds to the prompt.
   *
   * @param key whose
   * @param facts of the request
   */
  void appended(long key, RequestFacts facts);

  /**
   * An object was asked for and is there.
   *
   * @param key whose
   * @param blocks what it weighs
   * @param facts the requesting client
   */
  void hit(long key, int blocks, RequestFacts facts);

  /**
   * An object was asked for and is not there.
   *
   * @param key whose
   * @param facts the requesting client
   */
  void missed(long key, RequestFacts facts);

  /**
   * An object was put, whether there was room for it or not.
   *
   * @param key whose
   * @param blocks what it weighs
   * @param facts the client that put it
   */
  void stored(long key, long blocks, RequestFacts facts);

  /**
   * A client or the passing of time made an object useless; it may have left before.
   *
   * @param key whose
   * @param cause why
   */
  void removed(long key, RemovalCause cause);

  /** Everything was removed. */
  void cleared();
}
