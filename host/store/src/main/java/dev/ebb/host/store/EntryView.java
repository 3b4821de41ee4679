package dev.ebb.host.store;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one entry.
 *
 * @param key its key; not to be changed
 * @param bytes the size of its value
 * @param attachedBytes the size of the second value that hangs on it; 0 if there is none
 * @param chargedBytes what it takes of the pool
 * @param state where it is in its life
 * @param age since it was put
 * @param idle since it was last used
 * @param accesses uses, 1 when it is put
 * @param expiresAt wall-clock milliseconds at which its own time to live ends, or {@link
 *     ObjectStore#NEVER}
 * @param readers who is reading it now
 * @param pins operators' pins on it
 * @param tenant whose it is, as its key says; null if it says nothing
 * @param model the model, as its key says; null if it says nothing
 * @param rank the model's rank, as its key says; -1 if it says nothing
 * @param partition the part of the pool that it lies in
 */
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

  /** Takes a copy of the list. */
  public EntryView {
    pins = List.copyOf(pins);
  }
}
