package dev.ebb.host.admin.entries;

import dev.ebb.host.cache.policy.Explanation;
import dev.ebb.host.http.Json;
import dev.ebb.host.store.EntryView;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.lease.Pin;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A cache entry.
 *
 * @param key percent-encoded, as in a path
 * @param accesses uses, 1 when it is put
 * @param expiresAt when its time to live ends, ISO 8601; null for never
 * @param depth the blocks before it in its prompt; null for a client's value
 */
public record EntryDocument(
    String key,
    String text,
    long bytes,
    long chargedBytes,
    String state,
    double ageSeconds,
    double idleSeconds,
    int accesses,
    @Nullable String expiresAt,
    int readers,
    List<PinDocument> pins,
    @Nullable String tenant,
    @Nullable String model,
    @Nullable Integer rank,
    String partition,
    @Nullable Integer depth) {

  /** Some of the entries; {@code next} is the cursor of the next call, 0 at the end. */
  public record Page(List<EntryDocument> entries, String next) {}

  /** An entry and the policy's explanation of it. */
  public record Explained(
      EntryDocument entry, @Nullable String policy, @Nullable Double score, @Nullable String text) {

    static Explained of(EntryDocument entry, @Nullable Explanation given) {
      return given == null
          ? new Explained(entry, null, null, null)
          : new Explained(entry, given.policy(), Json.known(given.score()), given.text());
    }
  }

  public record Pins(List<PinDocument> pins) {}

  /**
   * A pin.
   *
   * @param key percent-encoded, as in a path
   * @param since ISO 8601
   * @param expiresAt ISO 8601; null for never
   * @param bytes size of the entry in the pool
   * @param partition the partition that holds it
   */
  public record PinDocument(
      String key,
      String text,
      String owner,
      String since,
      @Nullable String expiresAt,
      long bytes,
      String partition) {

    static PinDocument of(Pin pin) {
      return new PinDocument(
          BinaryKeys.encoded(pin.key()),
          BinaryKeys.text(pin.key()),
          pin.owner(),
          Instant.ofEpochMilli(pin.since()).toString(),
          moment(pin.expiresAt()),
          pin.bytes(),
          pin.partition());
    }
  }

  static EntryDocument of(EntryView entry) {
    return new EntryDocument(
        BinaryKeys.encoded(entry.key()),
        BinaryKeys.text(entry.key()),
        entry.bytes(),
        entry.chargedBytes(),
        entry.state().name().toLowerCase(Locale.ROOT),
        entry.age().toNanos() / 1e9,
        entry.idle().toNanos() / 1e9,
        entry.accesses(),
        moment(entry.expiresAt()),
        entry.readers(),
        entry.pins().stream().map(PinDocument::of).toList(),
        entry.tenant(),
        entry.model(),
        entry.rank() < 0 ? null : entry.rank(),
        entry.partition(),
        null);
  }

  /** Returns a time as ISO 8601; null for never. */
  public static @Nullable String moment(long wallMillis) {
    return wallMillis == ObjectStore.NEVER ? null : Instant.ofEpochMilli(wallMillis).toString();
  }
}
