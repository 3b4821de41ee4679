package dev.ebb.host.cache.stats;

import dev.ebb.spi.RemovalCause;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One removed entry.
 *
 * @param sequence 0 for the first one since the start, one more for each
 * @param wallMillis when, in milliseconds since 1970
 * @param key the owner's name of it, not to be changed; null if it has none
 * @param by the initiator of the eviction; null if it was not evicted
 * @param group the number of the object group, if an object of a chunk was evicted alone; otherwise
 *     {@link #NO_GROUP}
 * @param idleNanos how long ago it was used last
 * @param score the policy's score; NaN if it has none, or not yet
 * @param tenant its last user; null if unknown
 */
// Records are read and shown, not compared.
@SuppressWarnings("ArrayRecordComponent")
public record EvictionRecord(
    long sequence,
    long wallMillis,
    byte @Nullable [] key,
    long fingerprint,
    String policy,
    RemovalCause cause,
    @Nullable EvictedBy by,
    EvictionReason reason,
    int group,
    long bytes,
    long ageNanos,
    long idleNanos,
    int accesses,
    double score,
    @Nullable String tenant) {

  public static final int NO_GROUP = -1;

  /** Returns the key as UTF-8 text, or the fingerprint in hexadecimal digits if there is no key. */
  public String name() {
    return key == null ? Long.toHexString(fingerprint) : new String(key, StandardCharsets.UTF_8);
  }
}
