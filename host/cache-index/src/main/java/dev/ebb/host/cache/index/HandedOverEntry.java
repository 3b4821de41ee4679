package dev.ebb.host.cache.index;

import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import org.jspecify.annotations.Nullable;

/**
 * A resident entry as seen by a policy that took it over. Two policies may receive the same entry
 * at the same time, one as new and one as handed over. So the origin belongs to the view and not to
 * the entry.
 */
public final class HandedOverEntry implements Entry {

  private final CacheEntry entry;

  public HandedOverEntry(CacheEntry entry) {
    this.entry = entry;
  }

  /** Returns the cache's entry behind a policy's object; null if it is of no cache. */
  public static @Nullable CacheEntry unwrap(Entry held) {
    if (held instanceof CacheEntry entry) {
      return entry;
    }
    return held instanceof HandedOverEntry view ? view.entry : null;
  }

  @Override
  public Origin origin() {
    return Origin.HANDED_OVER;
  }

  @Override
  public long fingerprint() {
    return entry.fingerprint();
  }

  @Override
  public int blocks() {
    return entry.blocks();
  }

  @Override
  public int groups() {
    return entry.groups();
  }

  @Override
  public int window(int group) {
    return entry.window(group);
  }

  @Override
  public int partBlocks(int group) {
    return entry.partBlocks(group);
  }

  @Override
  public boolean partEvictable(int group) {
    return entry.partEvictable(group);
  }

  @Override
  public int depth() {
    return entry.depth();
  }

  @Override
  public boolean lastOfRequest() {
    return entry.lastOfRequest();
  }

  @Override
  public int childrenSeen() {
    return entry.childrenSeen();
  }

  @Override
  public int accesses() {
    return entry.accesses();
  }

  @Override
  public long createdNanos() {
    return entry.createdNanos();
  }

  @Override
  public long createdTick() {
    return entry.createdTick();
  }

  @Override
  public long lastAccessNanos() {
    return entry.lastAccessNanos();
  }

  @Override
  public long lastAccessTick() {
    return entry.lastAccessTick();
  }

  @Override
  public long sequenceId() {
    return entry.sequenceId();
  }

  @Override
  public int turn() {
    return entry.turn();
  }

  @Override
  public long sequenceLength() {
    return entry.sequenceLength();
  }

  @Override
  public long maxSequenceLength() {
    return entry.maxSequenceLength();
  }

  @Override
  public int priority() {
    return entry.priority();
  }

  @Override
  public @Nullable String tenant() {
    return entry.tenant();
  }

  @Override
  public @Nullable String workload() {
    return entry.workload();
  }

  @Override
  public int hint() {
    return entry.hint();
  }

  @Override
  public long lifetimeHintNanos() {
    return entry.lifetimeHintNanos();
  }

  @Override
  public double recomputeCost() {
    return entry.recomputeCost();
  }

  @Override
  public int retention() {
    return entry.retention();
  }

  @Override
  public long retainedUntilNanos() {
    return entry.retainedUntilNanos();
  }

  @Override
  public String toString() {
    return entry.toString();
  }
}
