package dev.ebb.host.store;

import dev.ebb.host.store.chain.ObservedRequest;
import dev.ebb.host.store.stats.EntryState;
import dev.ebb.host.store.value.ObjectMemory;
import dev.ebb.host.store.value.StoredValue;
import dev.ebb.host.store.value.StoredValue.PinNote;
import dev.ebb.spi.RemovalCause;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A value on its way into the pool. Memory is allocated as bytes arrive, so that a client which
 * only announces a value takes nothing. It is not visible before {@link #commit}. For one thread at
 * a time.
 */
public final class ValueWriter implements AutoCloseable {

  /** How much is allocated at a time: more blocks need the lock less often. */
  private static final int BATCH_BLOCKS = 16;

  private final StorePartition partition;
  private final StoredValue value;
  private final @Nullable StoreConnection by;
  private int taken;
  private long written;
  private boolean kept;

  /** Other values may be evicted for this one. */
  private boolean evicts = true;

  private boolean done;

  /** It is an object of its own, no part of another one, and of no request. */
  private boolean object;

  private long begunNanos;

  ValueWriter(
      StorePartition partition, StoredValue value, boolean kept, @Nullable StoreConnection by) {
    this.partition = partition;
    this.value = value;
    this.kept = kept;
    this.by = by;
    if (value.isAttachable()) {
      value.waitOnHeap();
    }
    partition.states.begun();
  }

  /** Takes the next bytes, no more than are missing. Bytes without room are read and dropped. */
  public void write(ByteBuffer source) {
    begin(source.remaining());
    byte[] heap = value.heap();
    if (heap != null) {
      int count = source.remaining();
      source.get(heap, (int) written, count);
      written += count;
      return;
    }
    MemorySegment from = MemorySegment.ofBuffer(source);
    long at = 0;
    while (at < from.byteSize() && hasSpace()) {
      long left = from.byteSize() - at;
      long count = Math.min(left, value.inOnePiece(taken, written, left));
      partition.memory.write(value.position(written), from.asSlice(at, count));
      at += count;
      written += count;
    }
    written += from.byteSize() - at;
    source.position(source.limit());
  }

  /**
   * Returns the place for the next bytes, and for so many behind the value if there is room. It is
   * null if the value is not kept, or must be written. Use it before any other call but {@link
   * #placed}.
   */
  public @Nullable ByteBuffer place(int behind) {
    if (value.heap() != null || !hasSpace()) {
      return null;
    }
    long most = Math.min(value.length - written + behind, Integer.MAX_VALUE);
    return partition.memory.place(
        value.position(written), Math.min(most, value.inOnePiece(taken, written, most)));
  }

  /** Accepts so many bytes of the value, written to {@link #place}: no more than are missing. */
  public void placed(int bytes) {
    begin(bytes);
    written += bytes;
  }

  /**
   * Allocates all memory now, or none, for a caller that writes in any order, or a client that
   * writes to it itself. Then it is written by {@link #write(long, ByteBuffer)} or {@link
   * #place(long, int)} only, up to {@link #filled}.
   */
  public boolean allocate() {
    begunNanos = partition.nanos();
    while (kept && value.heap() == null && !inPool()) {
      extend();
    }
    if (!kept) {
      partition.notAdmitted(value);
    }
    return kept;
  }

  /** Does the same without an eviction. */
  public boolean allocateFree() {
    evicts = false;
    return allocate();
  }

  /**
   * Returns at least one byte of allocated memory, to be written; null if the JVM cannot reach it:
   * then use {@link #write(long, ByteBuffer)}. Threads may write different ranges at the same time.
   */
  public @Nullable ByteBuffer place(long offset, int most) {
    long count = allocated(offset, most);
    byte[] heap = value.heap();
    return heap == null
        ? partition.memory.place(value.position(offset), count)
        : ByteBuffer.wrap(heap, (int) offset, (int) count).slice();
  }

  public void write(long offset, ByteBuffer source) {
    Objects.checkFromIndexSize(offset, source.remaining(), value.length);
    MemorySegment from = MemorySegment.ofBuffer(source);
    for (long at = 0; at < from.byteSize(); ) {
      long count = allocated(offset + at, (int) (from.byteSize() - at));
      MemorySegment part = from.asSlice(at, count);
      byte[] heap = value.heap();
      if (heap == null) {
        partition.memory.write(value.position(offset + at), part);
      } else {
        MemorySegment.ofArray(heap).asSlice(offset + at, count).copyFrom(part);
      }
      at += count;
    }
    source.position(source.limit());
  }

  /** Returns how many contiguous bytes of allocated memory there are from an offset on. */
  private long allocated(long offset, int most) {
    Objects.checkIndex(offset, value.length);
    if (done || !kept || (value.heap() == null && !inPool())) {
      throw new IllegalStateException("the memory is not allocated");
    }
    long count = Math.min(most, value.length - offset);
    return value.heap() == null ? Math.min(count, value.inOnePiece(taken, offset, count)) : count;
  }

  public void filled() {
    written = value.length;
  }

  StorePartition partition() {
    return partition;
  }

  StoredValue value() {
    return value;
  }

  /**
   * Makes the complete value visible, atomically, in place of the previous one. Pins on that one
   * move to it, as far as their budget allows.
   */
  public SetResult commit(SetOptions options) {
    if (done || written < value.length) {
      throw new IllegalStateException(
          done
              ? "the writer is closed"
              : "'%d' bytes are missing".formatted(value.length - written));
    }
    partition.lock.lock();
    try {
      ValueTable values = partition.values;
      StoredValue main = values.main(value.key);
      if ((main == null || value.heap() == null) && kept && !inPool()) {
        // First, because it may evict and wait, and the values read next must stay.
        do {
          extend();
        } while (kept && !inPool());
        main = values.main(value.key);
      }
      StoredValue first = values.first(value.key);
      StoredValue old = values.find(value.key, main, first);
      ValueReader reader = options.wantsOld() && old != null ? partition.reader(old) : null;
      boolean newer = old == null || options.version() == 0 || old.version() < options.version();
      if (!newer || !options.allows(old != null)) {
        drop();
        return new SetResult(SetResult.Outcome.UNMET, reader, 0);
      }
      values.outdated(value.key);
      value.stamp(
          options.version() == 0 ? partition.versions.getAsLong() : options.version(),
          expiresAt(options, old));
      main = value.heap() == null ? null : main;
      SetResult.Outcome outcome = replace(old, main, first);
      if (main == null) {
        reportObject();
      }
      partition.chains.endWhole();
      return new SetResult(outcome, reader, value.version());
    } finally {
      partition.lock.unlock();
    }
  }

  public byte[] key() {
    return value.key.bytes();
  }

  /**
   * Opens the complete bytes for reading instead of storing them under their key. They take memory
   * until the reader is closed, and are visible to no other reader.
   */
  public ValueReader read(long version, long expiresAt) {
    if (done || written < value.length || !inPool()) {
      throw new IllegalStateException("the value is not complete in the pool");
    }
    done = true;
    return partition.place.locked(() -> {
      value.stamp(version, expiresAt);
      partition.values.openedUnstored(value);
      return new ValueReader(partition, value, false);
    });
  }

  /**
   * Makes a complete copy from outside the store visible again, and opens it. An existing value
   * takes precedence, and one that the policy rejects is only opened. A version of 0 is for a new
   * one. The copy is tested while the part is locked; null if it is not valid any more, and there
   * is no other value.
   */
  public @Nullable ValueReader restore(long version, long expiresAt, BooleanSupplier valid) {
    if (done || written < value.length || !(inPool() || value.heap() != null)) {
      throw new IllegalStateException("the value is not complete");
    }
    return partition.place.locked(() -> {
      ValueTable values = partition.values;
      StoredValue main = values.main(value.key);
      StoredValue first = values.first(value.key);
      StoredValue present = values.find(value.key, main, first);
      if (present != null || !valid.getAsBoolean()) {
        drop();
        return present == null ? null : partition.reader(present);
      }
      value.stamp(version == 0 ? partition.versions.getAsLong() : version, expiresAt);
      value.restore();
      return value.heap() == null ? restored(first) : restoredAttachment(main);
    });
  }

  private ValueReader restored(@Nullable StoredValue first) {
    done = true;
    if (!insert(first)) {
      partition.values.openedUnstored(value);
      return new ValueReader(partition, value, true);
    }
    partition.values.attachments.adopt(value, null);
    reportObject();
    partition.chains.endWhole();
    return partition.reader(value);
  }

  private ValueReader restoredAttachment(@Nullable StoredValue main) {
    if (main == null) {
      StoredValue alone = value.alone();
      drop();
      return partition.reader(alone);
    }
    attachTo(main);
    done = true;
    return partition.reader(value);
  }

  /** Reports a new object that belongs to no request. */
  private void reportObject() {
    if (object && !value.key.labels().isHybrid()) {
      long weight = value.visible() ? value.weight() : value.units();
      partition.listeners.stored(value.key.low(), weight, value.key.labels().facts());
    }
  }

  private void attachTo(StoredValue main) {
    giveBack();
    partition.states.merged(value.state());
    partition.values.attachments.attach(main, value);
  }

  @Override
  public void close() {
    if (!done) {
      drop();
    }
  }

  /** Puts the complete value in place of the old one, or attaches it to a main value. */
  private SetResult.Outcome replace(
      @Nullable StoredValue old, @Nullable StoredValue main, @Nullable StoredValue first) {
    ValueTable values = partition.values;
    List<PinNote> pinned = old == null ? List.of() : old.pins();
    int lookups = old == null ? 0 : old.lookups();
    StoredValue attachment = old == null ? null : old.attachment();
    if (attachment != null) {
      values.remove(attachment, RemovalCause.REPLACED);
    }
    if (old != null
        && attachment == null
        && inPool()
        && value.heap() == null
        && values.replaces(old, value, first)) {
      object = false;
      value.enter(EntryState.ACTIVE, partition.states);
      values.replace(old, value, first);
      return stored();
    }
    if (old != null) {
      values.remove(old, RemovalCause.REPLACED);
    }
    if (main != null && main.visible()) {
      attachTo(main);
      return stored();
    }
    if (!inPool() || values.describesRefused(value.key) || !insert(first)) {
      return notKept();
    }
    if (!pinned.isEmpty()) {
      partition.pins.carry(pinned, value.whole());
    }
    if (lookups > 0) {
      partition.leases.grant(value.whole(), lookups);
    }
    if (attachment != null || value.key.isMain()) {
      values.attachments.adopt(value, attachment);
    }
    return stored();
  }

  /** Makes a complete value in the pool visible, unless the policy rejects it. */
  private boolean insert(@Nullable StoredValue first) {
    StoredValue chunk = partition.values.chunk(value.key, first);
    object = chunk == null;
    if (value.heap() != null) {
      value.fill(partition.memory, value.heap());
    }
    value.enter(EntryState.ACTIVE, partition.states);
    ObservedRequest request = object ? partition.chains.storing(by, value) : null;
    if (object && partition.chains.isRejected(value, value.units(), request)) {
      object = false;
      return false;
    }
    object &= request == null;
    partition.values.insert(value, request, first);
    if (chunk != null) {
      partition.chains.joined(by, chunk, value.key);
    }
    return true;
  }

  private static long expiresAt(SetOptions options, @Nullable StoredValue old) {
    return switch (options.expiry()) {
      case NONE -> StoredValue.NEVER;
      case KEEP -> old == null ? StoredValue.NEVER : old.expiresAt();
      case AT -> options.expiresAt();
    };
  }

  private SetResult.Outcome notKept() {
    drop();
    partition.counters.notAdmitted++;
    partition.counters.notAdmittedUnits += value.units();
    partition.values.refused(value.key);
    return SetResult.Outcome.NOT_KEPT;
  }

  private SetResult.Outcome stored() {
    done = true;
    partition.counters.stored++;
    partition.counters.bytesWritten += value.length;
    long begun = value.length == 0 ? partition.nanos() : begunNanos;
    long nanos = partition.nanos() - begun;
    partition.counters.storing.add(nanos);
    partition.chains.stored(by, value, nanos);
    partition.values.alive(value);
    return SetResult.Outcome.STORED;
  }

  private void drop() {
    done = true;
    giveBack();
    value.enter(EntryState.REMOVED, partition.states);
  }

  private void begin(int bytes) {
    if (bytes > value.length - written) {
      throw new IllegalArgumentException(
          "'%d' bytes are more than the %d that are missing"
              .formatted(bytes, value.length - written));
    }
    if (written == 0) {
      begunNanos = partition.nanos();
    }
  }

  private boolean hasSpace() {
    if (kept && !value.hasSlot() && written == (long) taken * ObjectMemory.BLOCK_BYTES) {
      extend();
    }
    return kept;
  }

  /** Returns whether all its memory is allocated: a long key may need one more block. */
  private boolean inPool() {
    return value.hasSlot() || (long) taken * ObjectMemory.BLOCK_UNITS == value.units();
  }

  private void extend() {
    if (value.state() == EntryState.CREATING) {
      value.enter(EntryState.STORING, partition.states);
    }
    int count = value.isSmall() ? 0 : (int) Math.min(BATCH_BLOCKS, blocksLeft());
    value.expect(taken + count);
    kept =
        evicts ? partition.take(value, taken, count, by) : partition.takeFree(value, taken, count);
    if (kept) {
      taken += count;
    } else {
      giveBack();
    }
  }

  private long blocksLeft() {
    return value.units() / ObjectMemory.BLOCK_UNITS - taken;
  }

  private void giveBack() {
    partition.giveBack(value, taken);
    taken = 0;
  }
}
