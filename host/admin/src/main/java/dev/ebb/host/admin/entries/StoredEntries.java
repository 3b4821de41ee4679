package dev.ebb.host.admin.entries;

import dev.ebb.host.http.HttpException;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.EntryView;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.ScanPage;
import dev.ebb.host.store.ValuePart;
import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.store.key.KeyNamespace;
import dev.ebb.host.store.stats.EvictionResult;
import dev.ebb.host.tier.DiskStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The values of clients. */
public final class StoredEntries implements EntryOperations {

  /**
   * The limit on scanned places for each call; a rare prefix in a large cache needs several calls.
   */
  private static final int MOST_STEPS = 1 << 17;

  /** Places for each step of a scan of all entries; clients can run in between. */
  private static final int SCAN_PLACES = 1 << 10;

  private final ObjectStore store;
  private final @Nullable DiskStore disk;

  /**
   * Creates the operations.
   *
   * @param disk null if there is none
   */
  public StoredEntries(ObjectStore store, @Nullable DiskStore disk) {
    this.store = store;
    this.disk = disk;
  }

  @Override
  public EntryDocument.Page page(byte[] prefix, long cursor, int limit) {
    Predicate<byte[]> chosen =
        key ->
            key.length >= prefix.length
                && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    List<EntryDocument> entries = new ArrayList<>();
    long next = cursor;
    int steps = 0;
    do {
      // A place may hold a value and its attachment.
      int places = Math.max(1, (limit - entries.size()) / 2);
      ScanPage page = store.scan(next, places, chosen);
      page.keys().forEach(key -> inMemory(key).ifPresent(entries::add));
      next = page.next();
      steps += places;
    } while (next != 0 && entries.size() < limit && steps < MOST_STEPS);
    Long onDisk = disk == null ? null : disk.stats().disk().values();
    return new EntryDocument.Page(entries, Long.toString(next), onDisk);
  }

  @Override
  public Optional<EntryDocument> find(byte[] key) {
    return inMemory(key).or(() -> onDisk(key));
  }

  private Optional<EntryDocument> inMemory(byte[] key) {
    return store.find(key).map(EntryDocument::of);
  }

  private Optional<EntryDocument> onDisk(byte[] key) {
    return disk == null
        ? Optional.empty()
        : Optional.ofNullable(done(disk.entry(key))).map(entry -> EntryDocument.of(key, entry));
  }

  private static <T extends @Nullable Object> T done(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Override
  public Optional<EntryDocument.Explained> explain(byte[] key) {
    return find(key)
        .map(entry -> EntryDocument.Explained.of(entry, store.explain(key).orElse(null)));
  }

  @Override
  public boolean delete(byte[] key) {
    return disk == null ? store.delete(key) : delete(key, disk);
  }

  /** Removes a value from both tiers; both halves of a chunk, which the disk has as one. */
  private boolean delete(byte[] key, DiskStore from) {
    byte[] mainKey = ChunkKeys.mainKey(key);
    boolean existed = store.length(key) >= 0;
    store.delete(mainKey);
    if (ChunkKeys.hasMetadata(mainKey)) {
      store.delete(ChunkKeys.metadataKey(mainKey));
    }
    try {
      return done(from.delete(List.of(key))).getFirst() || existed;
    } catch (CompletionException notRecorded) {
      throw new HttpException(503, from.notRemoved());
    }
  }

  @Override
  public List<EntryDocument.PinDocument> pins() {
    return store.pins().stream().map(EntryDocument.PinDocument::of).toList();
  }

  @Override
  public Optional<EntryDocument.PinDocument> pin(byte[] key, String owner, Duration time) {
    restore(key);
    return store.pin(key, owner, time)
        ? inMemory(key).stream()
            .flatMap(entry -> entry.pins().stream())
            .filter(pin -> pin.owner().equals(owner))
            .findFirst()
        : Optional.empty();
  }

  /** Reads a value that is only on the disk into memory, if there is room. */
  private void restore(byte[] key) {
    if (disk != null && store.length(key) < 0) {
      for (ValuePart part : done(disk.read(List.of(key), ByteRange::whole))) {
        if (part != null) {
          part.close();
        }
      }
    }
  }

  @Override
  public boolean unpin(byte[] key, @Nullable String owner) {
    return store.unpin(key, owner);
  }

  @Override
  public List<EntryDocument.NamespaceUse> namespaces() {
    NamespaceTotals totals = new NamespaceTotals();
    forEach(_ -> true, entry -> add(totals, entry));
    return totals.uses();
  }

  private static void add(NamespaceTotals to, EntryView entry) {
    long bytes = entry.bytes() + entry.attachedBytes();
    to.add(KeyNamespace.of(entry.key()), bytes, entry.idle());
  }

  @Override
  public EntryDocument.Removed drop(String lora, @Nullable String model) {
    NamespaceTotals removed = new NamespaceTotals();
    forEach(
        key -> isOf(KeyNamespace.of(key), lora, model),
        entry -> {
          if (delete(entry.key())) {
            add(removed, entry);
          }
        });
    return removed.removed();
  }

  private static boolean isOf(KeyNamespace of, String lora, @Nullable String model) {
    return lora.equals(of.lora()) && (model == null || model.equals(of.model()));
  }

  /** Calls an action for values in memory, without attachments: these belong to their chunk. */
  private void forEach(Predicate<byte[]> chosen, Consumer<EntryView> action) {
    long cursor = 0;
    do {
      ScanPage page =
          store.scan(cursor, SCAN_PLACES, key -> !ChunkKeys.isMetadata(key) && chosen.test(key));
      page.keys().forEach(key -> store.find(key).ifPresent(action));
      cursor = page.next();
    } while (cursor != 0);
  }

  @Override
  public EvictionResult evictBytes(long bytes) {
    return store.eviction().bytes(bytes);
  }

  @Override
  public EvictionResult evictEntries(long entries) {
    return store.eviction().entries(entries);
  }

  @Override
  public EvictionResult evictTo(double share) {
    return store.eviction().to(share);
  }

  @Override
  public EvictionResult evict(byte[] key) {
    return store.evict(key);
  }
}
