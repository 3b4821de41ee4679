package dev.ebb.spi.sim;

import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;

/** An entry of one block whose attributes a test may set. */
public final class SimEntry extends SimCaller implements Entry {

  /** The dense number by which a model knows it. */
  public final int id;

  public Origin origin = Origin.NEW;
  public int blocks = 1;
  public int depth;
  public boolean lastOfRequest;
  public int accesses = 1;
  public long createdNanos;
  public long createdTick;
  public long lastAccessTick;
  public long lastAccessNanos;
  public long sequenceLength = -1;
  public long maxSequenceLength = -1;
  public long lifetimeHintNanos = -1;
  public double recomputeCost = Double.NaN;
  public int retention;
  public long retainedUntilNanos = Long.MAX_VALUE;

  public SimEntry(int id) {
    this.id = id;
  }

  /** Makes it freshly resident. */
  public void insert(long tick) {
    accesses = 1;
    createdTick = tick;
    lastAccessTick = tick;
  }

  /** Records for whom it was used last, and when. */
  void usedBy(SimRequest request, int index) {
    callFor(request);
    lastOfRequest = index == request.ids.length - 1;
    lastAccessNanos = request.nanos;
    if (accesses == 1) {
      createdNanos = request.nanos;
    }
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
    return lastOfRequest;
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
    return createdNanos;
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
  public long sequenceLength() {
    return sequenceLength;
  }

  @Override
  public long maxSequenceLength() {
    return maxSequenceLength;
  }

  @Override
  public long lifetimeHintNanos() {
    return lifetimeHintNanos;
  }

  @Override
  public double recomputeCost() {
    return recomputeCost;
  }

  @Override
  public int retention() {
    return retention;
  }

  @Override
  public long retainedUntilNanos() {
    return retainedUntilNanos;
  }

  @Override
  public String toString() {
    return "entry " + id;
  }
}
