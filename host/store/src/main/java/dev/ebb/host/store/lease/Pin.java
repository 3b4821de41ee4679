package dev.ebb.host.store.lease;

import dev.ebb.host.store.value.StoredValue;
import java.time.Duration;
import java.util.List;

/**
 * An operator's pin on an entry.
 *
 * @param key the entry's key; not to be changed
 * @param since wall-clock milliseconds
 * @param expiresAt wall-clock milliseconds at which it ends, or {@code Long.MAX_VALUE}
 */
// The array is the key itself; a copy for each use would be waste.
@SuppressWarnings("ArrayRecordComponent")
public record Pin(
    byte[] key, String owner, long since, long expiresAt, long bytes, String partition) {

  /** The owner of pins that name none. */
  public static final String DEFAULT_OWNER = "operator";

  /** The most letters of an owner's name. */
  public static final int LONGEST_OWNER = 64;

  /** The longest time of a pin that ends by itself, in seconds. */
  public static final long LONGEST_SECONDS = Duration.ofDays(3_650).toSeconds();

  public static List<Pin> of(StoredValue value, String partition) {
    return value.pins().stream()
        .map(note ->
            new Pin(
                value.key.bytes(),
                note.owner(),
                note.since(),
                note.expiresAt(),
                value.wholeBytes(),
                partition))
        .toList();
  }
}
