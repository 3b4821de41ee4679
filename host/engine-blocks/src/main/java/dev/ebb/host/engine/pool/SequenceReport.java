package dev.ebb.host.engine.pool;

import org.jspecify.annotations.Nullable;

/**
 * The blocks of an open sequence on one device.
 *
 * @param tenant its tenant, or null
 * @param workload its kind of work, or null
 * @param priority larger is more important
 * @param cachedBlocks blocks of the prefix cache that it pins
 * @param ownBlocks blocks of its own, or shared with its forks
 * @param inUse whether an access is open, so that it cannot be preempted
 * @param migrating whether it is moving to or from another device
 */
public record SequenceReport(
    long id,
    @Nullable String tenant,
    @Nullable String workload,
    int priority,
    int tokens,
    int cachedBlocks,
    int ownBlocks,
    int reservedBlocks,
    boolean inUse,
    boolean migrating) {

  /** Returns the number of blocks that it has taken from the pool, in use or reserved. */
  public int blocks() {
    return ownBlocks + reservedBlocks;
  }

  public String describe() {
    StringBuilder text = new StringBuilder("sequence " + id + " (priority " + priority);
    if (tenant != null) {
      text.append(", tenant '").append(tenant).append('\'');
    }
    text.append(inUse ? ", in use" : "")
        .append(migrating ? ", migrating) has " : ") has ")
        .append(ownBlocks);
    if (reservedBlocks > 0) {
      text.append(" and ").append(reservedBlocks).append(" reserved");
    }
    if (cachedBlocks > 0) {
      text.append(", and pins ").append(cachedBlocks).append(" cached");
    }
    return text.toString();
  }
}
