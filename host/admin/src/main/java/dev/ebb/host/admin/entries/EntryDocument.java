package dev.ebb.host.admin.entries;

import dev.ebb.host.cache.policy.Explanation;
import dev.ebb.host.http.Json;
import dev.ebb.host.store.EntryView;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.key.KeyNamespace;
import dev.ebb.host.store.lease.Pin;
import dev.ebb.host.tier.DiskEntry;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A cache entry.
 *
 * @param key percent-encoded, as in a path
 * @param tier {@code memory} or {@code disk}; of a value in both, {@code memory}
 * @param ageSeconds since it was put; of a value on the disk, since it was written
 * @param idleSeconds null for a value on the disk
 * @param accesses uses, 1 when it is put; 0 for a value on the disk
 * @param expiresAt when its time to live ends, ISO 8601; null for never
 * @param lora the LoRA adapter that the key names; null if it names none
 * @param partition the partition that holds it; null for a value on the disk
 * @param writtenAt when it was written to the disk, ISO 8601; null for an entry in memory
 * @param depth the blocks before it in its prompt; null for a client's value
 * @param tokens the tokens of its prompt up to its end; null for a client's value
 */
public record EntryDocument(
    String key,
    String text,
    long bytes,
    long chargedBytes,
    String tier,
    String state,
    double ageSeconds,
    @Nullable Double idleSeconds,
    int accesses,
    @Nullable String expiresAt,
    int readers,
    List<PinDocument> pins,
    @Nullable String tenant,
    @Nullable String model,
    @Nullable String lora,
    @Nullable Integer rank,
    @Nullable String partition,
    @Nullable Integer depth,
    @Nullable Long tokens,
    @Nullable String writtenAt) {

  /** The tier of entries in memory. */
  static final String MEMORY = "memory";

  /**
   * Some of the entries in memory.
   *
   * @param next the cursor of the next call, 0 at the end
   * @param diskValues the values on the disk, which are not listed; null without a disk
   */
  public record Page(List<EntryDocument> entries, String next, @Nullable Long diskValues) {}

  /** An entry and the policy's explanation of it. */
  public record Explained(
      EntryDocument entry, @Nullable String policy, @Nullable Double score, @Nullable String text) {

    static Explained of(EntryDocument entry, @Nullable Explanation given) {
      return given == null
          ? new Explained(entry, null, null, null)
          : new Explained(entry, given.policy(), Json.known(given.score()), given.text());
    }
  }

  /**
   * The namespaces of the entries in memory.
   *
   * @param namespaces the one unused for the longest first
   */
  public record Namespaces(List<NamespaceUse> namespaces) {}

  /**
   * A namespace.
   *
   * @param model null for keys that name none
   * @param lora the LoRA adapter; null if keys name none
   * @param salt the cache salt, or other tags of LMCache; null if there is none
   * @param deployment what tells deployments of Ebb's storage backends apart; null if there is none
   * @param idleSeconds since an entry was used last
   */
  public record NamespaceUse(
      @Nullable String model,
      @Nullable String lora,
      @Nullable String salt,
      @Nullable String deployment,
      long entries,
      long bytes,
      double idleSeconds) {

    static NamespaceUse of(KeyNamespace of, long entries, long bytes, double idleSeconds) {
      return new NamespaceUse(
          of.model(), of.lora(), of.salt(), of.deployment(), entries, bytes, idleSeconds);
    }
  }

  /** Entries that were removed, and the size of their values. */
  public record Removed(long entries, long bytes) {

    Removed plus(Removed other) {
      return new Removed(entries + other.entries, bytes + other.bytes);
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
        MEMORY,
        entry.state().name().toLowerCase(Locale.ROOT),
        entry.age().toNanos() / 1e9,
        entry.idle().toNanos() / 1e9,
        entry.accesses(),
        moment(entry.expiresAt()),
        entry.readers(),
        entry.pins().stream().map(PinDocument::of).toList(),
        entry.tenant(),
        entry.model(),
        KeyNamespace.of(entry.key()).lora(),
        entry.rank() < 0 ? null : entry.rank(),
        entry.partition(),
        null,
        null,
        null);
  }

  /** Returns a value that is only on the disk. */
  static EntryDocument of(byte[] key, DiskEntry entry) {
    return new EntryDocument(
        BinaryKeys.encoded(key),
        BinaryKeys.text(key),
        entry.bytes(),
        0,
        "disk",
        "stored",
        Math.max(0, System.currentTimeMillis() - entry.writtenAt()) / 1e3,
        null,
        0,
        moment(entry.expiresAt()),
        0,
        List.of(),
        null,
        null,
        KeyNamespace.of(key).lora(),
        null,
        null,
        null,
        null,
        moment(entry.writtenAt()));
  }

  /** Returns a time as ISO 8601; null for never. */
  public static @Nullable String moment(long wallMillis) {
    return wallMillis == ObjectStore.NEVER ? null : Instant.ofEpochMilli(wallMillis).toString();
  }
}
