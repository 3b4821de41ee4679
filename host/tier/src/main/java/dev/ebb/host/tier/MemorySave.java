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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the values in memory to the disk when a server stops, those that were used last first: of
 * a chain its head before its tail.
 */
final class MemorySave {

  private static final Logger LOG = LoggerFactory.getLogger(MemorySave.class);

  private final ObjectStore store;
  private final DiskLogs log;
  private final long endNanos;
  private long values;
  private long bytes;

  /** A value to be saved. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Saved(byte[] key, Duration idle) {}

  MemorySave(ObjectStore store, DiskLogs log, Duration limit) {
    this.store = store;
    this.log = log;
    endNanos = System.nanoTime() + limit.toNanos();
  }

  /**
   * Saves what it can in time.
   *
   * @param most how many bytes the disk can take without losing the first ones again
   */
  void run(long most) {
    List<Saved> unsaved = unsaved();
    int tried = 0;
    while (tried < unsaved.size() && bytes < most && left().isPositive() && log.isUsable()) {
      save(unsaved.get(tried++).key);
    }
    LOG.info(
        "memory saved to the disk values={} bytes={} left={}",
        values,
        bytes,
        unsaved.size() - tried);
  }

  private Duration left() {
    return Duration.ofNanos(endNanos - System.nanoTime());
  }

  private List<Saved> unsaved() {
    List<Saved> found = new ArrayList<>();
    store.eachMainKey(key -> {
      if (ValueRecord.mayBeWritten(key, 1) && !log.contains(DiskLogs.hash(key))) {
        store.find(key).map(EntryView::idle).ifPresent(idle -> found.add(new Saved(key, idle)));
      }
    });
    found.sort(Comparator.comparing(Saved::idle));
    return found;
  }

  private void save(byte[] key) {
    try (ValueReader reader = store.open(key)) {
      if (reader == null || !ValueRecord.mayBeWritten(key, reader.length())) {
        return;
      }
      EvictedValue value = store.evictedValue(key).orElse(null);
      DiskLog.Ticket ticket =
          value == null
              ? null
              : log.announce(DiskLogs.hash(key), ValueRecord.parent(value.parent()));
      DiskLog.Outcome outcome =
          value == null || ticket == null
              ? DiskLog.Outcome.OUTDATED
              : ValueRecord.append(log, ticket, value, reader, left());
      if (outcome == DiskLog.Outcome.ADDED) {
        values++;
        bytes += reader.length();
      }
    }
  }
}
