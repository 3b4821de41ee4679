package dev.ebb.host.admin.entries;

import dev.ebb.host.cache.stats.EvictionRecord;
import dev.ebb.host.http.Json;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An evicted entry.
 *
 * @param time when, ISO 8601
 * @param key percent-encoded, as in a path; null if it has none
 * @param by the tenant that caused the eviction; null if there is none
 * @param reason {@code chosen} by the policy; {@code thinned}: one object of a chunk, which stays;
 *     {@code unusable}: no prompt could go on after it
 * @param group the number of the object group of a thinned object; null otherwise
 * @param idleSeconds how long ago it was used last
 * @param accesses number of accesses, including the insertion
 */
public record EvictionDocument(
    String time,
    @Nullable String key,
    String text,
    @Nullable String tenant,
    String policy,
    String cause,
    @Nullable String by,
    String reason,
    @Nullable Integer group,
    long bytes,
    double ageSeconds,
    double idleSeconds,
    int accesses,
    @Nullable Double score) {

  /** A range of the log; {@code next} is the position of the next call. */
  public record Log(
      List<EvictionDocument> evictions, List<PassDocument> passes, long missed, long next) {}

  static EvictionDocument of(EvictionRecord record) {
    byte[] key = record.key();
    return new EvictionDocument(
        Instant.ofEpochMilli(record.wallMillis()).toString(),
        key == null ? null : BinaryKeys.encoded(key),
        record.name(),
        record.tenant(),
        record.policy(),
        Json.word(record.cause()),
        record.by() == null ? null : Json.word(record.by()),
        Json.word(record.reason()),
        record.group() == EvictionRecord.NO_GROUP ? null : record.group(),
        record.bytes(),
        record.ageNanos() / 1e9,
        record.idleNanos() / 1e9,
        record.accesses(),
        Json.known(record.score()));
  }
}
