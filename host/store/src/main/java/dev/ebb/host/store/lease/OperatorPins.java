package dev.ebb.host.store.lease;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.store.value.ObjectMemory;
import dev.ebb.host.store.value.StoredValue;
import dev.ebb.host.store.value.StoredValue.PinNote;
import dev.ebb.host.units.ByteSize;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Operators' pins, within a budget. An entry pinned by several owners is charged once and stays
 * until the last pin is removed. Guarded by the partition's lock.
 */
public final class OperatorPins {

  private final BlockCache cache;
  private long budgetUnits;
  private final Set<StoredValue> pinned = new LinkedHashSet<>();
  private long units;
  private long nextExpiry = StoredValue.NEVER;

  public OperatorPins(BlockCache cache, long budgetUnits) {
    this.cache = cache;
    this.budgetUnits = budgetUnits;
  }

  public void budget(long mostUnits) {
    budgetUnits = mostUnits;
  }

  /** Pins an entry; an existing pin of the owner gets the new end. */
  public void pin(StoredValue value, PinNote note) {
    if (value.pins().isEmpty() && units + value.weight() > budgetUnits) {
      throw new UserError(
          "the pin budget of '%s' does not hold '%s' more, '%s' are pinned; unpin something, or raise ebb.eviction.pin-budget"
              .formatted(bytes(budgetUnits), bytes(value.weight()), bytes(units)));
    }
    List<PinNote> notes = new ArrayList<>(value.pins());
    notes.removeIf(old -> old.owner().equals(note.owner()));
    notes.add(note);
    set(value, notes);
  }

  /** Removes an owner's pin, or all of them for null. Returns whether there was one. */
  public boolean unpin(StoredValue value, @Nullable String owner) {
    return removeIf(value, note -> owner == null || note.owner().equals(owner));
  }

  public void carry(List<PinNote> notes, StoredValue to) {
    if (units + to.weight() <= budgetUnits) {
      set(to, notes);
    }
  }

  public void reweighed(StoredValue value, long more) {
    units += value.pins().isEmpty() ? 0 : more;
  }

  public void expire(long now) {
    if (now < nextExpiry) {
      return;
    }
    nextExpiry = StoredValue.NEVER;
    for (StoredValue value : List.copyOf(pinned)) {
      removeIf(value, note -> note.expiresAt() <= now);
    }
    pinned.forEach(this::noteExpiries);
  }

  public Set<StoredValue> values() {
    return pinned;
  }

  public int count() {
    return pinned.size();
  }

  public long units() {
    return units;
  }

  private boolean removeIf(StoredValue value, Predicate<PinNote> over) {
    if (value.pins().isEmpty()) {
      return false;
    }
    List<PinNote> left = new ArrayList<>(value.pins());
    boolean removed = left.removeIf(over);
    if (removed) {
      set(value, left);
    }
    return removed;
  }

  private void set(StoredValue value, List<PinNote> notes) {
    boolean was = !value.pins().isEmpty();
    boolean is = !notes.isEmpty();
    value.pin(notes);
    if (is && !was) {
      pinned.add(value);
      units += value.weight();
      cache.pin(requireNonNull(value.entry()));
    } else if (was && !is) {
      pinned.remove(value);
      units -= value.weight();
      cache.unpin(requireNonNull(value.entry()));
    }
    noteExpiries(value);
  }

  private void noteExpiries(StoredValue value) {
    value.pins().forEach(note -> nextExpiry = Math.min(nextExpiry, note.expiresAt()));
  }

  private static String bytes(long units) {
    return ByteSize.format(units * ObjectMemory.UNIT_BYTES);
  }
}
