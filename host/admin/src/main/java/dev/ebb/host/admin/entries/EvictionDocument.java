package dev.ebb.host.admin.entries;

import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.stats.EvictionRecord;
import dev.ebb.host.evictionlog.EvictionCursor;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Query;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.View;
import dev.ebb.host.units.Percent;
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

  private static final int PASSES = 100;

  /** A range of the log; {@code next} is the position of the next call. */
  public record Log(
      List<EvictionDocument> evictions, List<PassDocument> passes, long missed, long next) {}

  static EvictionDocument of(EvictionRecord record) {
    byte[] key = record.key();
    return View.of(EvictionDocument.class, record)
        .with("time", Instant.ofEpochMilli(record.wallMillis()))
        .with("key", key == null ? null : Percent.encode(key))
        .with("text", record.name())
        .with("group", record.group() == EvictionRecord.NO_GROUP ? null : record.group())
        .with("ageSeconds", record.ageNanos() / 1e9)
        .with("idleSeconds", record.idleNanos() / 1e9)
        .get();
  }

  /** Adds the route of a log. */
  public static void addTo(Routes routes, EvictionLog log) {
    routes.document(
        Operation.get(
                "/api/v1/evictions",
                EvictionDocument.Log.class,
                "the latest evicted and expired entries")
            .query(
                Field.integer("tail", 0, EvictionLog.MAX_SIZE, "only the latest ones").or(100),
                Field.integer("since", 0, "`next` of an earlier answer")),
        request -> read(log, request.query()));
  }

  private static Log read(EvictionLog log, Query query) {
    if (query.text("since") != null && query.text("tail") != null) {
      throw HttpException.bad("only one of 'tail' and 'since' can be given");
    }
    long tail = query.integer("tail");
    long since = query.integer("since", Math.max(0, log.written() - tail));
    EvictionCursor cursor = EvictionCursor.at(log, since);
    List<EvictionDocument> evictions = cursor.read().stream().map(EvictionDocument::of).toList();
    List<PassDocument> passes = log.passes(PASSES).stream().map(PassDocument::of).toList();
    return new Log(evictions, passes, cursor.missed(), cursor.next());
  }
}
