package dev.ebb.spi.sim;

import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import org.jspecify.annotations.Nullable;

/** An entry of one block whose attributes a test may set. */
public final class SimEntry implements Entry {

  /** The dense number by which a model knows it. */
  public final int id;

  public Origin origin = Origin.NEW;
  public int blocks = 1;
  public int depth;
  public int accesses = 1;
  public int priority = 1;
  public long createdTick;
  public long lastAccessTick;
  public long lastAccessNanos;

  public SimEntry(int id) {
    this.id = id;
  }

  /** Makes it freshly resident. */
  public void insert(long tick) {
    accesses = 1;
    createdTick = tick;
    lastAccessTick = tick;
  }

  /** Counts one more use. */
  public void touch(long tick) {
    accesses++;
    lastAccessTick = tick;
  }

  /** The name under which the content of a dense number is known to policies. */
  public static long fingerprint(int id) {
    long z = (id + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    return z ^ (z >>> 27);
  }

  @Override
  public long fingerprint() {
    return fingerprint(id);
  }

  @Override
  public Origin origin() {
    return origin;
  }

  @Override
  public int blocks() {
    return blocks;
  }

  @Override
  public int depth() {
    return depth;
  }

  @Override
  public boolean lastOfRequest() {
    return false;
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
    return 0;
  }

  @Override
  public long createdTick() {
    return createdTick;
  }

  @Override
  public long lastAccessNanos() {
    return lastAccessNanos;
  }

  @Override
  public long lastAccessTick() {
    return lastAccessTick;
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
    return -1;
  }

  @Override
  public long maxSequenceLength() {
    return -1;
  }

  @Override
  public int priority() {
    return priority;
  }

  @Override
  public @Nullable String tenant() {
    return null;
  }

  @Override
  public @Nullable String workload() {
    return null;
  }

  @Override
  public String toString() {
    return "entry " + id;
  }
}
