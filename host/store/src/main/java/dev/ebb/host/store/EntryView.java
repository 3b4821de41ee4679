package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.store.lease.Pin;
import dev.ebb.host.store.stats.EntryState;
import dev.ebb.host.store.value.StoredValue;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state of one entry; its end is wall-clock milliseconds, or {@link ObjectStore#NEVER}. */
// The array is the key itself; a copy for each use would be waste.
@SuppressWarnings("ArrayRecordComponent")
public record EntryView(
    byte[] key,
    long bytes,
    long attachedBytes,
    long chargedBytes,
    EntryState state,
    Duration age,
    Duration idle,
    int accesses,
    long expiresAt,
    int readers,
    List<Pin> pins,
    @Nullable String tenant,
    @Nullable String model,
    int rank,
    String partition) {

  public EntryView {
    pins = List.copyOf(pins);
  }

  static EntryView of(StoredValue asked, String partition, TimeSource time) {
    StoredValue value = asked.whole();
    CacheEntry entry = requireNonNull(value.entry());
    long now = time.nanos();
    return new EntryView(
        asked.key.bytes(),
        asked.length,
        asked.attachment() == null ? 0 : asked.attachment().length,
        value.wholeBytes(),
        value.state(),
        Duration.ofNanos(now - entry.createdNanos()),
        Duration.ofNanos(now - entry.lastAccessNanos()),
        entry.accesses(),
        asked.expiresAt(),
        value.readers(),
        Pin.of(value, partition),
        value.key.labels().facts().tenant(),
        value.key.labels().facts().workload(),
        value.key.labels().rank(),
        partition);
  }
}
