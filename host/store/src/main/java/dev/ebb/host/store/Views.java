package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.CacheEntry;
import java.time.Duration;
import java.util.List;

/** Values as operators see them. The partition's lock is held. */
final class Views {

  private Views() {}

  /** Returns a value; an attachment appears under its own key, with its owner's state. */
  static EntryView of(StoredValue asked, PartitionSpec partition, TimeSource time) {
    StoredValue value = asked.whole();
    CacheEntry entry = requireNonNull(value.entry);
    long now = time.nanos();
    return new EntryView(
        asked.key.bytes(),
        asked.length,
        asked.attachment == null ? 0 : asked.attachment.length,
        (long) value.units * ObjectMemory.UNIT_BYTES,
        value.state,
        Duration.ofNanos(now - entry.createdNanos()),
        Duration.ofNanos(now - entry.lastAccessNanos()),
        entry.accesses(),
        asked.expiresAt,
        value.readers,
        pins(value, partition.name()),
        value.labels.tenant(),
        value.labels.model(),
        value.labels.rank(),
        partition.name());
  }

  static List<Pin> pins(StoredValue value, String partition) {
    return value.pins.stream()
        .map(note ->
            new Pin(
                value.key.bytes(),
                note.owner(),
                note.since(),
                note.expiresAt(),
                (long) value.units * ObjectMemory.UNIT_BYTES,
                partition))
        .toList();
  }
}
