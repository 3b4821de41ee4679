package dev.ebb.host.cache;

import dev.ebb.spi.RemovalCause;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One entry that left.
 *
 * @param sequence 0 for the first one since the start, one more for each
 * @param wallMillis when, in milliseconds since 1970
 * @param key what the owner calls it, not to be changed; null if the owner has no name for it
 * @param fingerprint what policies call it
 * @param policy the name of the active policy
 * @param cause why it left
 * @param by on whose account it was evicted; null if it was not
 * @param blocks what it weighed, in blocks
 * @param ageNanos how long it was resident
 * @param idleNanos how long ago it was used last
 * @param accesses how often it was used, its insertion included
 * @param score the number by which the policy judged it; NaN if it has none, or did not say so yet
 * @param tenant the tenant that used it last; null if unknown
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
    int blocks,
    long ageNanos,
    long idleNanos,
    int accesses,
    double score,
    @Nullable String tenant) {

  /**
   * A name for people.
   *
   * @return the key as UTF-8 text, or the fingerprint in hexadecimal digits if there is no key
   */
  public String name() {
    return key == null ? Long.toHexString(fingerprint) : new String(key, StandardCharsets.UTF_8);
  }
}
