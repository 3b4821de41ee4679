package dev.ebb.host.admin;

import dev.ebb.host.cache.EvictionRecord;
import dev.ebb.host.http.Json;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One entry that left.
 *
 * @param time when, ISO 8601
 * @param key percent-encoded, as it stands in a path; null if it has none
 * @param tenant who used it last; null if unknown
 * @param by on whose account it was evicted; null if it was not
 * @param idleSeconds how long ago it was used last
 * @param accesses how often it was used, its insertion included
 * @param score the number by which the policy judged it; null if it has none
 */
public record EvictionDocument(
    String time,
    @Nullable String key,
    String text,
    @Nullable String tenant,
    String policy,
    String cause,
    @Nullable String by,
    long bytes,
    double ageSeconds,
    double idleSeconds,
    int accesses,
    @Nullable Double score) {

  /** A part of the log; {@code next} is where the next call goes on. */
  public record Log(
      List<EvictionDocument> evictions, List<PassDocument> passes, long missed, long next) {}

  static EvictionDocument of(EvictionRecord record, long blockBytes) {
    byte[] key = record.key();
    return new EvictionDocument(
        Instant.ofEpochMilli(record.wallMillis()).toString(),
        key == null ? null : Keys.encoded(key),
        record.name(),
        record.tenant(),
        record.policy(),
        word(record.cause()),
        record.by() == null ? null : word(record.by()),
        record.blocks() * blockBytes,
        record.ageNanos() / 1e9,
        record.idleNanos() / 1e9,
        record.accesses(),
        Json.known(record.score()));
  }

  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
