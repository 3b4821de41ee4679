package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A value on its way into the pool. Memory is allocated as bytes arrive, so that a client which
 * only announces a value takes nothing. It is not visible before {@link ObjectStore#commit}. For
 * one thread at a time.
 */
public final class ValueWriter implements AutoCloseable {

  /** How much is allocated at a time: more blocks need the lock less often. */
  private static final int BATCH_BLOCKS = 16;

  private final StorePartition partition;
  final ObjectKey key;
  final long length;
  final long units;
  final KeyLabels labels;
  private int[] blocks = new int[0];
  private int taken;
  private long smallUnit = SmallArena.NONE;
  private long written;
  private boolean kept;
  private boolean done;
  private EntryState state;
  private long begunNanos;

  /** A possible attachment waits on the heap: it may need nothing of the pool. */
  private final byte @Nullable [] aside;

  ValueWriter(
      StorePartition partition,
      ObjectKey key,
      long length,
      long units,
      boolean kept,
      KeyLabels labels) {
    this.partition = partition;
    this.key = key;
    this.length = length;
    this.units = units;
    this.kept = kept;
    this.labels = labels;
    aside = ValuePublisher.attachable(key, length) ? new byte[(int) length] : null;
    state = partition.states.begun();
  }

  /**
   * Takes the next bytes. Bytes without room are read and dropped.
   *
   * @param source its remaining bytes are taken
   * @throws IllegalArgumentException if these are more than the announced value
   */
  public void write(ByteBuffer source) {
    if (source.remaining() > length - written) {
      throw new IllegalArgumentException(
          "'%d' bytes are more than the %d that are missing"
              .formatted(source.remaining(), length - written));
    }
    noteBeginning();
    if (aside != null) {
      int count = source.remaining();
      source.get(aside, (int) written, count);
      written += count;
      return;
    }
    MemorySegment from = MemorySegment.ofBuffer(source);
    long at = 0;
    while (at < from.byteSize() && hasSpace()) {
      long count = Math.min(from.byteSize() - at, inOnePiece(from.byteSize() - at));
      MemorySegment.copy(from, at, partition.memory().segment(), position(), count);
      at += count;
      written += count;
    }
    written += from.byteSize() - at;
    source.position(source.limit());
  }

  /**
   * Returns the place for the next bytes, for callers that can write them there without a copy.
   *
   * @param behind how many bytes more may be put behind the value, if there is room
   * @return a piece of the pool, at least one byte unless the value is complete, to be used before
   *     any other method but {@link #placed} is called; null if the value is not kept, or must be
   *     written
   */
  public @Nullable ByteBuffer place(int behind) {
    if (aside != null || !hasSpace()) {
      return null;
    }
    long most = Math.min(length - written + behind, Integer.MAX_VALUE);
    return partition
        .memory()
        .segment()
        .asSlice(position(), Math.min(most, inOnePiece(most)))
        .asByteBuffer();
  }

  /**
   * Accepts bytes written to {@link #place}.
   *
   * @param bytes how many of the value's, without those behind it
   * @throws IllegalArgumentException if these are more than are missing
   */
  public void placed(int bytes) {
    if (bytes > length - written) {
      throw new IllegalArgumentException(
          "'%d' bytes are more than the %d that are missing".formatted(bytes, length - written));
    }
    noteBeginning();
    written += bytes;
  }

  private void noteBeginning() {
    if (written == 0) {
      begunNanos = partition.nanos();
    }
  }

  /**
   * Returns whether there was room so far.
   *
   * @return false once the value is only read, not kept
   */
  public boolean kept() {
    return kept;
  }

  /** Drops the value, unless it was committed. */
  @Override
  public void close() {
    if (!done) {
      drop(takeBytes());
    }
  }

  /** Returns when its first byte arrived. */
  long begunNanos() {
    return length == 0 ? partition.nanos() : begunNanos;
  }

  boolean attachable() {
    return aside != null;
  }

  /** Returns the bytes of an attachment; memory taken for it in the pool is freed. */
  byte[] merged(@Nullable StoredBytes taken) {
    done = true;
    if (taken != null) {
      partition.abandoned(taken, chargedUnits());
    }
    partition.states.merged(state);
    return requireNonNull(aside);
  }

  /**
   * Returns the bytes with everything reserved for them, or null if they are not kept, or not
   * wanted in the pool.
   */
  @Nullable StoredBytes finish(boolean intoPool) {
    if (done || written != length) {
      throw new IllegalStateException(
          done ? "the writer is closed" : "'%d' bytes are missing".formatted(length - written));
    }
    if (!intoPool) {
      return null;
    }
    // A long key is charged with the value, and may need one more block.
    while (kept && chargedUnits() < units) {
      extend();
    }
    if (!kept) {
      return null;
    }
    StoredBytes bytes = takeBytes();
    if (aside != null) {
      bytes.fill(partition.memory(), aside);
    }
    return bytes;
  }

  void committed() {
    done = true;
    state = partition.states.changed(state, EntryState.ACTIVE);
  }

  /** Ends without a value; its memory is freed. */
  void drop(@Nullable StoredBytes taken) {
    done = true;
    if (taken != null) {
      partition.abandoned(taken, chargedUnits());
    }
    state = partition.states.changed(state, EntryState.REMOVED);
  }

  private boolean hasSpace() {
    if (kept
        && smallUnit == SmallArena.NONE
        && written == (long) taken * ObjectMemory.BLOCK_BYTES) {
      extend();
    }
    return kept;
  }

  /** Returns the position of the next byte in the pool's memory. */
  private long position() {
    return smallUnit != SmallArena.NONE
        ? smallUnit * ObjectMemory.UNIT_BYTES + written
        : (long) blocks[(int) (written / ObjectMemory.BLOCK_BYTES)] * ObjectMemory.BLOCK_BYTES
            + written % ObjectMemory.BLOCK_BYTES;
  }

  /** Returns how many bytes are contiguous from there on, up to a limit. */
  private long inOnePiece(long most) {
    return smallUnit != SmallArena.NONE
        ? units * ObjectMemory.UNIT_BYTES - written
        : StoredBytes.inOnePiece(blocks, taken, written, most);
  }

  private void extend() {
    if (state == EntryState.CREATING) {
      state = partition.states.changed(state, EntryState.STORING);
    }
    if (units <= ObjectMemory.SMALL_UNITS) {
      smallUnit = partition.takeSmall((int) units, labels.facts());
      kept = smallUnit != SmallArena.NONE;
      return;
    }
    int count = (int) Math.min(BATCH_BLOCKS, units / ObjectMemory.BLOCK_UNITS - taken);
    if (taken + count > blocks.length) {
      long whole = units / ObjectMemory.BLOCK_UNITS;
      blocks = Arrays.copyOf(blocks, (int) Math.min(whole, Math.max(taken + count, 2L * taken)));
    }
    if (partition.takeBlocks(blocks, taken, count, labels.facts())) {
      taken += count;
    } else {
      StoredBytes partly = takeBytes();
      long charged = chargedUnits();
      taken = 0;
      blocks = new int[0];
      kept = false;
      partition.abandoned(partly, charged);
    }
  }

  private long chargedUnits() {
    return smallUnit != SmallArena.NONE ? units : (long) taken * ObjectMemory.BLOCK_UNITS;
  }

  private StoredBytes takeBytes() {
    return new StoredBytes(Arrays.copyOf(blocks, taken), smallUnit);
  }
}
