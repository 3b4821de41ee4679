package dev.ebb.host.cache;

import dev.ebb.spi.Demand;

/** Somebody waits: until so many blocks are free, or until so many were evicted on its behalf. */
final class SpaceRequest {

  private final boolean forRoom;
  private final long blocks;
  private final Demand.Reason reason;
  private final RequestFacts asker;
  private long freed;

  private SpaceRequest(boolean forRoom, long blocks, Demand.Reason reason, RequestFacts asker) {
    this.forRoom = forRoom;
    this.blocks = blocks;
    this.reason = reason;
    this.asker = asker;
  }

  static SpaceRequest forRoom(long blocks, RequestFacts asker) {
    return new SpaceRequest(true, blocks, Demand.Reason.ALLOCATION, asker);
  }

  static SpaceRequest forEviction(long blocks, Demand.Reason reason, RequestFacts asker) {
    return new SpaceRequest(false, blocks, reason, asker);
  }

  /** Blocks that have still to be freed; none if it is met. */
  long missing(CacheState account) {
    return forRoom ? account.missing(blocks) : blocks - freed;
  }

  /**
   * Whether it is time to wake who waits.
   *
   * @param spare blocks that had better be free beyond what is claimed: one wake-up for many
   */
  boolean isMet(CacheState account, long spare) {
    return missing(account) <= (forRoom ? -spare : 0);
  }

  /** Whether waiting is of use: room is all or nothing. */
  boolean canBeMet(CacheState account) {
    return account.evictable() >= (forRoom ? missing(account) : 1);
  }

  /** Blocks to free on its behalf now: none if it cannot be met anyway. */
  long possible(CacheState account) {
    return canBeMet(account) ? missing(account) : 0;
  }

  void evicted(long count) {
    freed += count;
  }

  long freed() {
    return freed;
  }

  Demand.Reason reason() {
    return reason;
  }

  RequestFacts asker() {
    return asker;
  }
}
