package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.store.stats.EntryState;
import dev.ebb.host.store.stats.EntryStates;
import dev.ebb.host.store.value.HeapCharge;
import dev.ebb.host.store.value.ObjectMemory;
import dev.ebb.host.store.value.StoredValue;
import dev.ebb.spi.RemovalCause;
import org.jspecify.annotations.Nullable;

/** The small second values of chunks, of the first ones. Guarded by the partition's lock. */
final class Attachments {

  private final ValueTable values;
  private final ObjectMemory memory;
  private final EntryStates states;
  private final HeapCharge charge;
  private int count;

  Attachments(ValueTable values, ObjectMemory memory, EntryStates states, HeapCharge charge) {
    this.values = values;
    this.memory = memory;
    this.states = states;
    this.charge = charge;
  }

  int count() {
    return count;
  }

  void attach(StoredValue owner, StoredValue attachment) {
    owner.attach(attachment);
    count++;
    values.lifetimes.added(attachment);
    values.changed(owner);
  }

  /** Gives a chunk's new bytes the attachment of the previous ones, or one that came first. */
  void adopt(StoredValue main, @Nullable StoredValue previous) {
    if (previous != null) {
      attach(main, previous);
    } else if (main.key.isMain()) {
      StoredValue first = values.at(main.key.attachmentLow(), main.key.attachmentHigh());
      StoredValue early =
          first == null ? null : values.alive(first.shard(each -> each.key.belongsTo(main.key)));
      if (early != null && early.isAttachable()) {
        StoredValue attachment;
        try {
          attachment = early.heapCopy(memory);
        } catch (DeviceException lost) {
          // It stays a value of its own.
          return;
        }
        values.remove(early, RemovalCause.REPLACED);
        attach(main, attachment);
      }
    }
  }

  void detach(StoredValue owner) {
    StoredValue attachment = owner.detach();
    if (attachment != null) {
      count--;
      values.lifetimes.removed(attachment);
    }
  }

  /** Turns an attachment whose owner a client removed into a value of its own, if it fits. */
  void makeIndependent(StoredValue attachment) {
    long units = charge.units(attachment.key, attachment.length);
    if (units > ObjectMemory.SMALL_UNITS
        || values.lifetimes.ttlExpired(attachment)
        || !values.cache.reserveFree(units)) {
      return;
    }
    StoredValue value = new StoredValue(attachment.key, attachment.length, units);
    if (!memory.allocate(value, 0, 0)) {
      values.cache.unreserve(units);
      return;
    }
    try {
      value.fill(memory, requireNonNull(attachment.heap()));
    } catch (DeviceException lost) {
      value.free(memory, 0);
      values.cache.unreserve(units);
      return;
    }
    value.stamp(attachment.version(), attachment.expiresAt());
    states.begun();
    value.enter(EntryState.STORING, states);
    value.enter(EntryState.ACTIVE, states);
    values.insert(value, null, values.first(value.key));
  }
}
