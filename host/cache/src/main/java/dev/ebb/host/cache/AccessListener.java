package dev.ebb.host.cache;

import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.spi.RemovalCause;

/**
 * Receives every request, hit or not, while the event stream reports what the cache did. Called
 * under the owner's lock: quick, and never calls back. A key is the lower 64 bits of its hash.
 */
public interface AccessListener {

  /**
   * Reports a request with its blocks and matched length: its beginning, or, if its blocks are
   * objects, what it has used and made. Its blocks are not reported as objects. A request that goes
   * on after that is reported again with all its blocks, see {@link CacheRequest#part}.
   */
  void began(CacheRequest request);

  /** Reports a block appended to a request: an answer's addition to the prompt. */
  void appended(long key, RequestFacts facts);

  /** Reports a hit of an object that weighs so many blocks. */
  void hit(long key, int blocks, RequestFacts facts);

  void missed(long key, RequestFacts facts);

  /** Reports a put object, whether there was room for it or not. */
  void stored(long key, long blocks, RequestFacts facts);

  /** Reports an object, of a request or not, that weighs more or less than before. */
  void reweighed(long key, int blocks);

  /** Reports an object that a client deleted or that expired; it may have been removed before. */
  void removed(long key, RemovalCause cause);

  void cleared();
}
