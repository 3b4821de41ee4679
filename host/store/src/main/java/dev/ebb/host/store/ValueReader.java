package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.store.chain.ObservedRequest;
import dev.ebb.host.store.value.StoredValue;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A value that stays readable until the reader is closed, even if its key is removed. The bytes are
 * the pool's own, without a copy. For one thread at a time.
 */
public final class ValueReader implements AutoCloseable {

  private static final byte[] NOTHING = {};

  private final StorePartition partition;
  private final StoredValue value;

  /** That of the value when the reader was opened: both are read as they belong together. */
  private final @Nullable StoredValue attachment;

  /** Whether the time until it is closed is part of the statistics. */
  private final boolean timed;

  /** Whether the value was evicted, and its memory is free when the reader is closed. */
  private final boolean leaving;

  private final long openedNanos;

  /** The request that it is read for; null if it is not known. */
  @Nullable ObservedRequest by;

  private boolean closed;

  ValueReader(StorePartition partition, StoredValue value, boolean timed) {
    this(partition, value, timed, false);
  }

  ValueReader(StorePartition partition, StoredValue value, boolean timed, boolean leaving) {
    this.leaving = leaving;
    this.partition = partition;
    this.value = value;
    this.timed = timed;
    attachment = value.attachment();
    openedNanos = partition.nanos();
  }

  public long length() {
    return value.length;
  }

  public long version() {
    return value.version();
  }

  /** Returns when the value expires: wall-clock milliseconds, or {@link ObjectStore#NEVER}. */
  public long expiresAt() {
    return partition.place.locked(() -> value.expiresAt());
  }

  /** Returns when the value or its metadata expires, whichever is first. */
  public long firstExpiry() {
    StoredValue found = attachment;
    return partition.place.locked(
        () -> Math.min(value.expiresAt(), found == null ? StoredValue.NEVER : found.expiresAt()));
  }

  /** Returns the metadata of a chunk, whose bytes the value is; empty if there is none. */
  public byte[] attachment() {
    StoredValue found = attachment;
    return found == null || partition.place.locked(() -> partition.values.ended(found))
        ? NOTHING
        : requireNonNull(found.heap()).clone();
  }

  /** Returns at least one contiguous byte, not to be written, nor used after {@link #close}. */
  public ByteBuffer piece(long offset, int most) {
    Objects.checkIndex(offset, value.length);
    if (closed) {
      throw new IllegalStateException("the reader is closed");
    }
    return value.piece(partition.memory, offset, (int) Math.min(most, value.length - offset));
  }

  StorePartition partition() {
    return partition;
  }

  StoredValue value() {
    return value;
  }

  /** Releases the value. Closing twice does nothing. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      partition.readerClosed(value, timed ? partition.nanos() - openedNanos : -1, leaving, by);
    }
  }
}
