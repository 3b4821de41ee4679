package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.AdmissionCandidate;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.spi.Demand;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits until so many blocks are free, or until so many were evicted on its behalf.
 */
final class SpaceRequest {

  private final boolean forRoom;
  private final long blocks;
  private final Demand.Reason reason;
  private final RequestFacts asker;
  private final @Nullable AdmissionCandidate newcomer;
  private long freed;

  private SpaceRequest(
      boolean forRoom,
      long blocks,
      Demand.Reason reason,
      RequestFacts asker,
      @Nullable AdmissionCandidate newcomer) {
    this.forRoom = forRoom;
    this.blocks = blocks;
    this.reason = reason;
    this.asker = asker;
    this.newcomer = newcomer;
  }

  static SpaceRequest forRoom(
      long blocks, RequestFacts asker, @Nullable AdmissionCandidate newcomer) {
    return new SpaceRequest(true, blocks, Demand.Reason.ALLOCATION, asker, newcomer);
  }

  static SpaceRequest forEviction(
      long blocks,
      Demand.Reason reason,
      RequestFacts asker,
      @Nullable AdmissionCandidate newcomer) {
    return new SpaceRequest(false, blocks, reason, asker, newcomer);
  }

  @Nullable AdmissionCandidate newcomer() {
    return newcomer;
  }

  boolean isRejected() {
    return newcomer != null && newcomer.rejected;
  }

  /** Returns the level up to which it evicts entries while there are others. */
  int level(CacheState state) {
    return state.evictionLevel(reason, asker.priority());
  }

  /** Returns the blocks that have still to be freed; none if it is met. */
  long missing(CacheState state) {
    return forRoom ? state.missing(blocks) : blocks - freed;
  }

  /**
   * Returns whether to wake the client: with some more blocks free, that serves several clients.
   */
  boolean isMet(CacheState state, long spare) {
    return missing(state) <= (forRoom ? -spare : 0);
  }

  /** Returns whether waiting can succeed: room is all or nothing. */
  boolean canBeMet(CacheState state) {
    return state.evictable() >= (forRoom ? missing(state) : 1);
  }

  /** Returns the blocks to free on its behalf now: none if it cannot be met anyway. */
  long possible(CacheState state) {
    return canBeMet(state) ? missing(state) : 0;
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

  /** Returns whether it is served before one that arrived earlier. */
  boolean precedes(SpaceRequest earlier) {
    return asker.priority() > earlier.asker.priority();
  }
}
