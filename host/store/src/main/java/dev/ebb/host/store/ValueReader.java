package dev.ebb.host.store;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A value that stays readable until the reader is closed, even if its key is removed. The bytes are
 * the pool's own, without a copy. For one thread at a time.
 */
public final class ValueReader implements AutoCloseable {

  private final StorePartition partition;
  private final StoredValue value;
  private final long openedNanos;
  private boolean closed;

  ValueReader(StorePartition partition, StoredValue value) {
    this.partition = partition;
    this.value = value;
    openedNanos = partition.nanos();
  }

  /** Returns the value's size in bytes. */
  public long length() {
    return value.length;
  }

  /**
   * Returns contiguous bytes.
   *
   * @param offset the first byte, 0 to {@code length() - 1}
   * @param most the most bytes wanted, at least 1
   * @return at least one byte; not to be used after {@link #close}, nor to be written
   */
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
      partition.readerClosed(value, partition.nanos() - openedNanos);
    }
  }
}
