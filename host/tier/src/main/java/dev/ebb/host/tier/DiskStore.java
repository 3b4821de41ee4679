package dev.ebb.host.tier;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.config.DiskTierConfig;
import dev.ebb.host.disk.DiskLog;
import dev.ebb.host.disk.DiskLogs;
import dev.ebb.host.disk.DiskOutage;
import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.disk.tier.TierFiles;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.ChangeListener;
import dev.ebb.host.store.DiskValues;
import dev.ebb.host.store.EvictionListener;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValue;
import dev.ebb.host.store.ValuePart;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.chain.RequestListener;
import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.store.key.DiskKeyListener;
import dev.ebb.host.store.stats.StoreStats;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Values that memory had no room for, in files. A value on the disk is removed as soon as a client
 * replaces or removes it, so that nothing old is ever returned. Thread-safe.
 */
public final class DiskStore implements DiskValues, AutoCloseable {

  /** Values of other users of such files are not those of the RESP server. */
  private static final String NAMESPACE = "resp";

  private static final long REMOVAL_SECONDS = 5;

  final ObjectStore store;
  final TierFiles files;
  final DiskLogs log;
  final OutdatedValues outdated;
  private final EvictionWriter evictions;
  private final Promotion promotion;
  private final NodeNotes notes;
  private final AtomicInteger clearing = new AtomicInteger();

  private DiskStore(DiskTierConfig config, ObjectStore store, TierFiles files) {
    this.store = store;
    this.files = files;
    log = files.log;
    outdated = new OutdatedValues(files);
    evictions = new EvictionWriter(this, store.stats().capacityBytes(), config.regionBytes());
    promotion = new Promotion(this);
    notes = new NodeNotes(log);
  }

  /**
   * Opens or creates the files of a store. What they have is served immediately.
   *
   * @throws UserError if a file is not one of this server, or cannot be used
   */
  public static DiskStore open(DiskTierConfig config, ObjectStore store) {
    DiskStore tier = ofNode(config, store);
    store.changeListener(tier.outdated);
    store.evictionListener(tier.evictions);
    return tier;
  }

  /**
   * Opens or creates the files of a node of a cluster, which listens to the store itself.
   *
   * @throws UserError as {@link #open}
   */
  public static DiskStore ofNode(DiskTierConfig config, ObjectStore store) {
    return new DiskStore(config, store, TierFiles.open(config, NAMESPACE));
  }

  /** Returns the files, for other values of Ebb under {@link TierFiles#RESERVED} keys. */
  TierFiles files() {
    return files;
  }

  /** Changes the rule by which evicted values are written. */
  public void admit(AdmissionRule rule) {
    files.admit(rule);
  }

  boolean isClearing() {
    return clearing.get() > 0;
  }

  @Override
  public boolean has(byte[] key) {
    return !TierFiles.isReserved(key) && log.has(hash(key));
  }

  /** Records that a client requests a value that memory has not. */
  private void requested(byte[] key) {
    files.requested(hash(key));
  }

  private static long hash(byte[] key) {
    return DiskLogs.hash(ChunkKeys.mainKey(key));
  }

  /** Returns the time of an expiry on the disk as the store has it. */
  static long storeExpiry(long expiresAt) {
    return expiresAt == DiskLog.NEVER ? ObjectStore.NEVER : expiresAt;
  }

  @Override
  public boolean onOtherNodes() {
    return false;
  }

  @Override
  public CompletionStage<List<@Nullable ValuePart>> read(
      List<byte[]> keys, LongFunction<ByteRange> wanted, @Nullable String traceparent) {
    return each(
        keys,
        key ->
            traced(
                log.read(hash(key), buffer -> part(key, wanted, buffer), ValuePart::close),
                traceparent));
  }

  private CompletableFuture<@Nullable ValuePart> traced(
      CompletableFuture<@Nullable ValuePart> read, @Nullable String traceparent) {
    if (traceparent == null) {
      return read;
    }
    long start = System.nanoTime();
    return read.thenApply(part -> {
      store
          .requestListener()
          .read(
              new RequestListener.TierRead(
                  traceparent, true, System.nanoTime() - start, part == null ? -1 : part.length()));
      return part;
    });
  }

  private @Nullable ValuePart part(byte[] key, LongFunction<ByteRange> wanted, ReadBuffer buffer) {
    ValueReader reader = promotion.open(key, buffer);
    return reader == null ? null : new ValuePart(reader, wanted.apply(reader.length()));
  }

  @Override
  public CompletionStage<List<@Nullable RemoteValue>> find(List<byte[]> keys) {
    return each(keys, key -> log.read(hash(key), buffer -> describe(key, buffer), none -> {}));
  }

  private @Nullable RemoteValue describe(byte[] key, ReadBuffer buffer) {
    byte[] mainKey = ChunkKeys.mainKey(key);
    DiskLog.Description found = log.describe(mainKey, buffer);
    boolean valid =
        found != null
            && (!outdated.mayBeOutdated(mainKey)
                || outdated.isValid(
                    mainKey, ValueRecord.version(mainKey, found.properties().parent())));
    return found == null || !valid
        ? null
        : new RemoteValue(bytes(key, found.properties()), expiry(found.properties()));
  }

  private static long bytes(byte[] key, DiskLog.Properties of) {
    return ChunkKeys.isMetadata(key) ? of.attachment() : of.length();
  }

  private static long expiry(DiskLog.Properties of) {
    return storeExpiry(of.expiresAt());
  }

  /** Describes a value on the disk, in memory or not; completes with null if there is none. */
  public CompletionStage<@Nullable DiskEntry> entry(byte[] key) {
    return has(key)
        ? log.read(hash(key), buffer -> entry(key, buffer), none -> {})
        : CompletableFuture.completedFuture(null);
  }

  private @Nullable DiskEntry entry(byte[] key, ReadBuffer buffer) {
    DiskLog.Description found = log.describe(ChunkKeys.mainKey(key), buffer);
    return found == null
        ? null
        : new DiskEntry(
            bytes(key, found.properties()), expiry(found.properties()), found.writtenAt());
  }

  /** Asks the disk for the keys that it may have. */
  private <T> CompletionStage<List<@Nullable T>> each(
      List<byte[]> keys, Function<byte[], CompletableFuture<@Nullable T>> ask) {
    keys.forEach(this::requested);
    List<CompletableFuture<@Nullable T>> asked =
        keys.stream()
            .map(key ->
                has(key) ? ask.apply(key) : CompletableFuture.<@Nullable T>completedFuture(null))
            .toList();
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApply(all -> {
          List<@Nullable T> answers = new ArrayList<>(keys.size());
          asked.forEach(each -> answers.add(each.join()));
          return answers;
        });
  }

  /** A value that may not be valid is described; for others the index in memory is enough. */
  @Override
  public CompletionStage<BitSet> exist(List<byte[]> keys) {
    BitSet existing = new BitSet();
    List<CompletableFuture<?>> unsure = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      byte[] key = keys.get(i);
      requested(key);
      existing.set(i, has(key));
      if (existing.get(i)
          && (log.mayHaveExpired(hash(key)) || outdated.mayBeOutdated(ChunkKeys.mainKey(key)))) {
        int index = i;
        unsure.add(
            log.read(hash(key), buffer -> describe(key, buffer), none -> {})
                .thenAccept(found -> {
                  if (found == null) {
                    clear(existing, index);
                  }
                }));
      }
    }
    return CompletableFuture.allOf(unsure.toArray(CompletableFuture[]::new))
        .thenApply(none -> existing);
  }

  private static void clear(BitSet bits, int index) {
    synchronized (bits) {
      bits.clear(index);
    }
  }

  @Override
  public CompletionStage<List<Boolean>> delete(List<byte[]> keys) {
    List<Boolean> removed =
        keys.stream().map(key -> outdated.remove(ChunkKeys.mainKey(key))).toList();
    CompletableFuture<?>[] open =
        keys.stream()
            .map(key -> outdated.open(hash(key)))
            .filter(Objects::nonNull)
            .toArray(CompletableFuture[]::new);
    return limited(CompletableFuture.allOf(open).thenApply(none -> removed));
  }

  @Override
  public void clearing() {
    clearing.incrementAndGet();
    var _ = log.clear();
  }

  @Override
  public CompletionStage<Void> clear() {
    // Also what was evicted while the values in memory were removed.
    CompletableFuture<Void> cleared = log.clear();
    clearing.decrementAndGet();
    return limited(cleared);
  }

  /** Values whose keys name their content are not replaced by others. */
  @Override
  public @Nullable CompletionStage<Void> replaced(byte[] key) {
    CompletableFuture<Void> removal =
        ChunkKeys.isContentAddressed(key) ? null : outdated.open(hash(key));
    return removal == null ? null : limited(removal);
  }

  private static <T> CompletableFuture<T> limited(CompletableFuture<T> removal) {
    return removal.copy().orTimeout(REMOVAL_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public String notRemoved() {
    return "the value is removed, but the disk tier could not record that: it may be back if the"
        + " server restarts before the disk is in use again";
  }

  @Override
  public void validity(Validity validity) {
    outdated.validity(validity);
  }

  @Override
  public void keyListener(DiskKeyListener listener) {
    evictions.keyListener(listener);
    log.listener((hash, present) -> {
      if (present) {
        listener.stored(hash);
      } else {
        listener.removed(hash);
      }
    });
  }

  @Override
  public EvictionListener evictions() {
    return evictions;
  }

  @Override
  public ChangeListener changes() {
    return outdated;
  }

  @Override
  public void note(byte[] text) {
    notes.write(text);
  }

  @Override
  public byte @Nullable [] noted() {
    return notes.read();
  }

  @Override
  public Map<String, Object> figures() {
    return stats().figures();
  }

  /** Returns since when the disk is not written and read, and why; null if it is in use. */
  public @Nullable DiskOutage outage() {
    return log.outage();
  }

  /** Returns the state and the counters. */
  public DiskTierStats stats() {
    StoreStats requests = store.stats();
    return files.stats(
        requests.sources().disk() + files.pageHits.sum(),
        requests.sources().diskBytes() + files.pageHitBytes.sum(),
        requests.misses() + files.pageMisses.sum(),
        evictions.heldBytes());
  }

  /** Writes what was evicted, and what is in memory if so configured. Clients must be gone. */
  @Override
  public void close() {
    store.evictionListener(EvictionListener.NONE);
    evictions.close();
    MemorySave save = new MemorySave(store, log);
    files.saveOnStop("values", save::unsaved, save::save);
    files.close();
    store.changeListener(ChangeListener.NONE);
  }
}
