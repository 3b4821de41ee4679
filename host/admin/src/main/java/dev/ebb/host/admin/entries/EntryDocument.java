package dev.ebb.host.admin.entries;

import dev.ebb.host.cache.policy.Explanation;
import dev.ebb.host.http.Json;
import dev.ebb.host.http.View;
import dev.ebb.host.store.EntryView;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.key.KeyNamespace;
import dev.ebb.host.store.lease.Pin;
import dev.ebb.host.tier.DiskEntry;
import dev.ebb.host.units.Percent;
import java.time.Instant;
import java.util.List;
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
      return View.of(PinDocument.class, pin)
          .with("key", Percent.encode(pin.key()))
          .with("text", BinaryKeys.text(pin.key()))
          .with("since", Instant.ofEpochMilli(pin.since()).toString())
          .with("expiresAt", moment(pin.expiresAt()))
          .get();
    }
  }

  static EntryDocument of(EntryView entry) {
    return View.of(EntryDocument.class, entry)
        .with("key", Percent.encode(entry.key()))
        .with("text", BinaryKeys.text(entry.key()))
        .with("tier", MEMORY)
        .with("ageSeconds", entry.age().toNanos() / 1e9)
        .with("idleSeconds", entry.idle().toNanos() / 1e9)
        .with("expiresAt", moment(entry.expiresAt()))
        .with("pins", entry.pins().stream().map(PinDocument::of).toList())
        .with("lora", KeyNamespace.of(entry.key()).lora())
        .with("rank", entry.rank() < 0 ? null : entry.rank())
        .get();
  }

  /** Returns a value that is only on the disk. */
  static EntryDocument of(byte[] key, DiskEntry entry) {
    return View.of(EntryDocument.class, entry)
        .with("key", Percent.encode(key))
        .with("text", BinaryKeys.text(key))
        .with("chargedBytes", 0)
        .with("tier", "disk")
        .with("state", "stored")
        .with("ageSeconds", Math.max(0, System.currentTimeMillis() - entry.writtenAt()) / 1e3)
        .with("accesses", 0)
        .with("expiresAt", moment(entry.expiresAt()))
        .with("readers", 0)
        .with("pins", List.of())
        .with("lora", KeyNamespace.of(key).lora())
        .with("writtenAt", moment(entry.writtenAt()))
        .get();
  }

  /** Returns a time as ISO 8601; null for never. */
  public static @Nullable String moment(long wallMillis) {
    return wallMillis == ObjectStore.NEVER ? null : Instant.ofEpochMilli(wallMillis).toString();
  }
}
