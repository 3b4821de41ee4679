package dev.ebb.host.store;

import dev.ebb.host.store.StoredValue.PinNote;
import dev.ebb.spi.RemovalCause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes a value visible in place of the previous one, and moves operators' pins and an attachment.
 * Guarded by the partition's lock.
 */
final class ValuePublisher {

  /** The maximum size of an attachment; a larger one is a value of its own. */
  static final int ATTACHMENT_BYTES = 256;

  private final ValueTable residents;
  private final ObjectMemory memory;
  private final OperatorPins pins;
  private final StoreCounters counters;
  private final TimeSource time;

  ValuePublisher(
      ValueTable residents,
      ObjectMemory memory,
      OperatorPins pins,
      StoreCounters counters,
      TimeSource time) {
    this.residents = residents;
    this.memory = memory;
    this.pins = pins;
    this.counters = counters;
    this.time = time;
  }

  /**
   * Returns whether a value may be an attachment: it must fit into one slot if its owner is removed
   * first.
   */
  static boolean attachable(ObjectKey key, long length) {
    return key.role() == KeyRole.ATTACHMENT
        && length <= ATTACHMENT_BYTES
        && HeapCharge.poolUnits(key, length) <= ObjectMemory.SMALL_UNITS;
  }

  static boolean met(SetOptions options, @Nullable StoredValue old) {
    return switch (options.condition()) {
      case ALWAYS -> true;
      case IF_ABSENT -> old == null;
      case IF_PRESENT -> old != null;
    };
  }

  /** Puts a complete value in place of the old one, or attaches it to a main value. */
  SetResult.Outcome replace(
      ValueWriter writer,
      @Nullable StoredBytes bytes,
      @Nullable StoredValue old,
      @Nullable StoredValue main,
      SetOptions options) {
    long expiresAt =
        switch (options.expiry()) {
          case NONE -> StoredValue.NEVER;
          case KEEP -> old == null ? StoredValue.NEVER : old.expiresAt;
          case AT -> options.expiresAt();
        };
    List<PinNote> pinned = old == null ? List.of() : old.pins;
    StoredValue attachment = old == null ? null : old.attachment;
    if (attachment != null) {
      residents.remove(attachment, RemovalCause.REPLACED);
    }
    if (old != null) {
      residents.remove(old, RemovalCause.REPLACED);
    }
    if (main != null && main.there()) {
      attach(writer, bytes, main, expiresAt);
      return SetResult.Outcome.STORED;
    }
    if (bytes == null) {
      writer.drop(null);
      counters.notAdmitted++;
      counters.notAdmittedUnits += writer.units;
      if (attachment != null) {
        residents.leaveBehind(attachment);
      }
      return SetResult.Outcome.NOT_KEPT;
    }
    writer.committed();
    StoredValue value =
        residents.insert(writer.key, writer.length, (int) writer.units, bytes, writer.labels);
    stored(writer);
    pins.carry(pinned, value);
    adopt(value, attachment);
    residents.expireAt(value, expiresAt);
    return SetResult.Outcome.STORED;
  }

  private void attach(
      ValueWriter writer, @Nullable StoredBytes bytes, StoredValue main, long expiresAt) {
    StoredBytes heap = new StoredBytes(writer.merged(bytes));
    StoredValue attachment = new StoredValue(writer.key, writer.length, 0, heap, KeyLabels.NONE);
    residents.attach(main, attachment);
    residents.expireAt(attachment, expiresAt);
    stored(writer);
  }

  private void stored(ValueWriter writer) {
    counters.stored++;
    counters.bytesWritten += writer.length;
    counters.storing.add(time.nanos() - writer.begunNanos());
  }

  /**
   * Moves an attachment to a chunk's new bytes: that of the previous bytes, or one that came first.
   */
  private void adopt(StoredValue value, @Nullable StoredValue attachment) {
    if (value.key.role() != KeyRole.MAIN) {
      return;
    }
    if (attachment != null) {
      residents.attach(value, attachment);
      return;
    }
    StoredValue early = residents.orphan(value.key);
    if (early != null && attachable(early.key, early.length)) {
      StoredBytes heap = new StoredBytes(early.bytes.toArray(memory, early.length));
      StoredValue attached = new StoredValue(early.key, early.length, 0, heap, KeyLabels.NONE);
      attached.expiresAt = early.expiresAt;
      residents.remove(early, RemovalCause.REPLACED);
      residents.attach(value, attached);
    }
  }
}
