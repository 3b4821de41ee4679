package dev.ebb.host.tier;

import dev.ebb.host.disk.DiskLog;
import dev.ebb.host.disk.DiskLogs;
import dev.ebb.host.store.EntryView;
import dev.ebb.host.store.EvictedValue;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.ValueReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Writes the values in memory to the disk when a server stops, those that were used last first: of
 * a chain its head before its tail.
 */
record MemorySave(ObjectStore store, DiskLogs log) {

  /** A value to be saved. */
  @SuppressWarnings("ArrayRecordComponent")
  record Saved(byte[] key, Duration idle) {}

  /** Returns the values that the disk does not have. */
  List<Saved> unsaved() {
    List<Saved> found = new ArrayList<>();
    store.eachMainKey(key -> {
      if (ValueRecord.mayBeWritten(key, 1) && !log.contains(DiskLogs.hash(key))) {
        store.find(key).map(EntryView::idle).ifPresent(idle -> found.add(new Saved(key, idle)));
      }
    });
    found.sort(Comparator.comparing(Saved::idle));
    return found;
  }

  /** Saves a value in the time that is left; returns the bytes that were added. */
  long save(Saved saved, Duration left) {
    byte[] key = saved.key;
    try (ValueReader reader = store.open(key)) {
      EvictedValue value =
          reader == null || !ValueRecord.mayBeWritten(key, reader.length())
              ? null
              : store.evictedValue(key).orElse(null);
      if (reader == null || value == null) {
        return 0;
      }
      DiskLog.Ticket ticket = log.announce(DiskLogs.hash(key), ValueRecord.parent(value.parent()));
      boolean added =
          ticket != null
              && ValueRecord.append(ticket, value, reader, left) == DiskLog.Outcome.ADDED;
      return added ? reader.length() : 0;
    }
  }
}
