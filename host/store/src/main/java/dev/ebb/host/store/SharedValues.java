package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.FileRange;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.store.value.MemoryRange;
import dev.ebb.host.store.value.ObjectMemory;
import dev.ebb.host.store.value.StoredValue;
import dev.ebb.host.units.ByteSize;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Values that clients on this machine write and read in the memory of the pool, which they map from
 * a file, or open on a GPU. Reservations and leases together hold a bounded share of each
 * partition. Thread-safe.
 */
public final class SharedValues {

  /** The share of a partition that reservations and leases may hold. */
  static final double SHARE = 0.5;

  private final ObjectStore store;
  private final Map<StorePartition, Held> held = new HashMap<>();

  /** The memory that reservations and leases hold of one partition, which begins at an offset. */
  private record Held(long base, long budgetUnits, AtomicLong units) {}

  /** Memory on a GPU, which clients open with its CUDA IPC handle. */
  @SuppressWarnings("ArrayRecordComponent")
  public record GpuMemory(long offset, long bytes, byte[] handle) {}

  /** Memory of a value that counts until it is closed. For one thread at a time. */
  abstract static sealed class Holding implements AutoCloseable {

    private final StoredValue value;
    private final Held part;
    private final Runnable release;
    private final long units;
    private boolean closed;

    private Holding(StoredValue value, Held part, Runnable release) {
      this.value = value;
      this.part = part;
      this.release = release;
      units = value.units();
    }

    /** Returns where its bytes are, in their order; valid until it is committed or closed. */
    public List<MemoryRange> ranges() {
      return value.ranges(part.base);
    }

    /** Releases the memory. Closing twice does nothing. */
    @Override
    public void close() {
      if (!closed) {
        closed = true;
        release.run();
        part.units.addAndGet(-units);
      }
    }
  }

  /** A value whose memory is reserved, and freed on closing unless its client has committed it. */
  public static final class Reservation extends Holding {

    private final ValueWriter writer;

    private Reservation(ValueWriter writer, Held part) {
      super(writer.value(), part, writer::close);
      this.writer = writer;
    }

    public byte[] key() {
      return writer.key();
    }

    public SetResult commit(SetOptions options) {
      writer.filled();
      try {
        return writer.commit(options);
      } finally {
        close();
      }
    }
  }

  /** A value that stays readable until the lease is closed. */
  public static final class Lease extends Holding {

    private Lease(ValueReader reader, Held part) {
      super(reader.value(), part, reader::close);
    }
  }

  /**
   * Creates reservations and leases for a store that outlives them. They are counted together, so a
   * store needs one.
   */
  public SharedValues(ObjectStore store) {
    this.store = store;
    long next = 0;
    for (StorePartition part : store.parts()) {
      long base = part.memory.shared().map(FileRange::offset).orElse(next);
      next = base + part.memory.bytes();
      long budget = (long) (part.memory.units() * SHARE);
      held.put(part, new Held(base, budget, new AtomicLong()));
    }
  }

  /** Returns the file of the memory; null if it is not shared. */
  public @Nullable Path file() {
    return store.parts().getFirst().memory.shared().map(FileRange::file).orElse(null);
  }

  public boolean onGpu() {
    return store.parts().getFirst().memory.device().kind() == DeviceKind.CUDA;
  }

  /** Returns the size of the memory: all offsets are below it. */
  public long bytes() {
    return store.parts().stream()
        .mapToLong(part -> held(part).base + part.memory.bytes())
        .max()
        .orElse(0);
  }

  /** Returns the memory on a GPU, each partition with its handle. The driver may not export it. */
  public List<GpuMemory> gpuMemory() {
    return store.parts().stream()
        .map(part ->
            new GpuMemory(
                held(part).base, part.memory.bytes(), part.memory.ipcHandle().orElseThrow()))
        .toList();
  }

  /** Returns the pool memory that reservations and leases hold. A value counts with each lease. */
  public long heldBytes() {
    long units = held.values().stream().mapToLong(each -> each.units.get()).sum();
    return units * ObjectMemory.UNIT_BYTES;
  }

  /**
   * Reserves the memory of a value, evicting as needed; null if there is no room. Nothing is
   * visible before it is committed. Fails if the value cannot be in shared memory, or too much is
   * held.
   */
  public @Nullable Reservation reserve(byte[] key, long length, StoreConnection by) {
    ValueWriter writer = by.write(key, length);
    Held part = held(writer.partition());
    long units = writer.value().units();
    boolean charged = false;
    boolean reserved = false;
    try {
      if (writer.value().isAttachable()) {
        throw new UserError(
            "a metadata value of '%d' bytes is not in shared memory; store it with SET"
                .formatted(length));
      }
      charge(part, units);
      charged = true;
      reserved = writer.allocate();
      return reserved ? new Reservation(writer, part) : null;
    } finally {
      if (!reserved) {
        writer.close();
        if (charged) {
          part.units.addAndGet(-units);
        }
      }
    }
  }

  /**
   * Leases a value, which counts as a use; null if there is none. Fails if the value is not in
   * shared memory, or too much is held.
   */
  public @Nullable Lease lease(byte[] key, StoreConnection by) {
    ValueReader reader = by.get(key);
    if (reader == null) {
      return null;
    }
    boolean leased = false;
    try {
      if (reader.value().heap() != null) {
        throw new UserError("a metadata value is not in shared memory; read it with GET");
      }
      Held part = held(reader.partition());
      charge(part, reader.value().units());
      leased = true;
      return new Lease(reader, part);
    } finally {
      if (!leased) {
        reader.close();
      }
    }
  }

  private Held held(StorePartition part) {
    return requireNonNull(held.get(part));
  }

  private static void charge(Held part, long units) {
    if (units > part.budgetUnits) {
      throw new UserError(
          "a value of '%s' is larger than the %s that reservations and leases may hold; use SET and GET"
              .formatted(
                  ByteSize.format(units * ObjectMemory.UNIT_BYTES),
                  ByteSize.format(part.budgetUnits * ObjectMemory.UNIT_BYTES)));
    }
    if (part.units.addAndGet(units) > part.budgetUnits) {
      long others = part.units.addAndGet(-units);
      throw new UserError(
          "reserving '%s' would exceed the limit on reservations and leases (%s of %s in use, including earlier keys of this command); send fewer keys, or commit, abort or release some first"
              .formatted(
                  ByteSize.format(units * ObjectMemory.UNIT_BYTES),
                  ByteSize.format(others * ObjectMemory.UNIT_BYTES),
                  ByteSize.format(part.budgetUnits * ObjectMemory.UNIT_BYTES)));
    }
  }
}
