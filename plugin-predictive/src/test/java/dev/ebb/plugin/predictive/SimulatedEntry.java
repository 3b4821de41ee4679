package dev.ebb.plugin.predictive;

import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import org.jspecify.annotations.Nullable;

/** A resident block of the simulator, or a hand-made entry of a test. */
final class SimulatedEntry implements Entry {

  final long fingerprint;
  final int depth;
  @Nullable SimulatedEntry parent;
  @Nullable Object node;
  int residentChildren;
  boolean pinned;
  boolean setAside;
  boolean resident;

  Origin origin = Origin.NEW;
  boolean last;
  int accesses = 1;
  long accessNanos;
  long accessTick;
  long sequenceLength = -1;
  long maxSequenceLength = -1;
  long lifetimeHintNanos = -1;
  @Nullable String workload;

  SimulatedEntry(long fingerprint, int depth) {
    this.fingerprint = fingerprint;
    this.depth = depth;
  }

  @Override
  public long fingerprint() {
    return fingerprint;
  }

  @Override
  public Origin origin() {
    return origin;
  }

  @Override
  public int blocks() {
    return 1;
  }

  @Override
  public int depth() {
    return depth;
  }

  @Override
  public boolean lastOfRequest() {
    return last;
  }

  @Override
  public int childrenSeen() {
    return 0;
  }

  @Override
  public int accesses() {
    return accesses;
  }

  @Override
  public long createdNanos() {
    return accessNanos;
  }

  @Override
  public long createdTick() {
    return accessTick;
  }

  @Override
  public long lastAccessNanos() {
    return accessNanos;
  }

  @Override
  public long lastAccessTick() {
    return accessTick;
  }

  @Override
  public long sequenceId() {
    return -1;
  }

  @Override
  public int turn() {
    return -1;
  }

  @Override
  public long sequenceLength() {
    return sequenceLength;
  }

  @Override
  public long maxSequenceLength() {
    return maxSequenceLength;
  }

  @Override
  public int priority() {
    return 1;
  }

  @Override
  public @Nullable String tenant() {
    return null;
  }

  @Override
  public @Nullable String workload() {
    return workload;
  }

  @Override
  public long lifetimeHintNanos() {
    return lifetimeHintNanos;
  }
}
