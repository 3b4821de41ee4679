package dev.ebb.host.admin.entries;

import dev.ebb.host.store.EvictionResult;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.ScanPage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The values of clients. */
public final class StoredEntries implements EntryOperations {

  /**
   * The limit on scanned places for each call; a rare prefix in a large cache needs several calls.
   */
  private static final int MOST_STEPS = 1 << 17;

  private final ObjectStore store;

  public StoredEntries(ObjectStore store) {
    this.store = store;
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
      page.keys().forEach(key -> find(key).ifPresent(entries::add));
      next = page.next();
      steps += places;
    } while (next != 0 && entries.size() < limit && steps < MOST_STEPS);
    return new EntryDocument.Page(entries, Long.toString(next));
  }

  @Override
  public Optional<EntryDocument> find(byte[] key) {
    return store.find(key).map(EntryDocument::of);
  }

  @Override
  public Optional<EntryDocument.Explained> explain(byte[] key) {
    return find(key)
        .map(entry -> EntryDocument.Explained.of(entry, store.explain(key).orElse(null)));
  }

  @Override
  public boolean delete(byte[] key) {
    return store.delete(key);
  }

  @Override
  public List<EntryDocument.PinDocument> pins() {
    return store.pins().stream().map(EntryDocument.PinDocument::of).toList();
  }

  @Override
  public Optional<EntryDocument.PinDocument> pin(byte[] key, String owner, Duration time) {
    return store.pin(key, owner, time)
        ? find(key).stream()
            .flatMap(entry -> entry.pins().stream())
            .filter(pin -> pin.owner().equals(owner))
            .findFirst()
        : Optional.empty();
  }

  @Override
  public boolean unpin(byte[] key, @Nullable String owner) {
    return store.unpin(key, owner);
  }

  @Override
  public EvictionResult evictBytes(long bytes) {
    return store.evictBytes(bytes);
  }

  @Override
  public EvictionResult evictEntries(long entries) {
    return store.evictEntries(entries);
  }

  @Override
  public EvictionResult evictTo(double share) {
    return store.evictTo(share);
  }

  @Override
  public EvictionResult evict(byte[] key) {
    return store.evict(key);
  }
}
