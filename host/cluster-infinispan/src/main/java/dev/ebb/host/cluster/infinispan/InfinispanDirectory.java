package dev.ebb.host.cluster.infinispan;

import dev.ebb.host.cluster.directory.Change;
import dev.ebb.host.cluster.directory.ChangeCodec;
import dev.ebb.host.cluster.directory.Directory;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.ValueId;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.infinispan.AdvancedCache;
import org.infinispan.CacheStream;
import org.infinispan.commons.CacheException;
import org.infinispan.commons.marshall.WrappedByteArray;
import org.infinispan.commons.util.IntSets;
import org.infinispan.container.entries.CacheEntry;
import org.infinispan.context.Flag;
import org.infinispan.distribution.LocalizedCacheTopology;
import org.infinispan.functional.FunctionalMap.ReadWriteMap;
import org.infinispan.functional.impl.FunctionalMapImpl;
import org.infinispan.functional.impl.ReadWriteMapImpl;
import org.infinispan.lifecycle.ComponentStatus;
import org.infinispan.remoting.transport.Address;

/** A directory whose entries are distributed over the nodes, each on two. */
final class InfinispanDirectory implements Directory {

  private static final int UPDATE_SECONDS = 20;
  private static final int ATTEMPTS = 3;

  private final AdvancedCache<byte[], byte[]> entries;
  private final AdvancedCache<byte[], byte[]> local;
  private final ReadWriteMap<byte[], byte[]> updates;
  private final OwnerReads reads;
  private final Executor threads;
  private final long timeoutMillis;
  private final AtomicBoolean counting = new AtomicBoolean();
  private volatile long size;

  /**
   * Creates a directory over a started cache; updates wait on other threads, reads have a limit.
   */
  InfinispanDirectory(AdvancedCache<byte[], byte[]> entries, Executor threads, long timeoutMillis) {
    this.entries = entries;
    local = entries.withFlags(Flag.CACHE_MODE_LOCAL);
    this.timeoutMillis = timeoutMillis;
    reads = new OwnerReads(entries, threads, timeoutMillis);
    this.updates = ReadWriteMapImpl.create(FunctionalMapImpl.create(entries));
    this.threads = threads;
  }

  @Override
  public CompletableFuture<Map<ValueId, DirectoryEntry>> get(Collection<ValueId> ids) {
    if (ids.isEmpty()) {
      return CompletableFuture.completedFuture(Map.of());
    }
    return reads.get(Set.copyOf(ids)).orTimeout(timeoutMillis, TimeUnit.MILLISECONDS);
  }

  @Override
  public CompletableFuture<Map<ValueId, DirectoryEntry>> update(Map<ValueId, Change> changes) {
    if (changes.isEmpty()) {
      return CompletableFuture.completedFuture(Map.of());
    }
    Map<ValueId, DirectoryEntry> result = new ConcurrentHashMap<>();
    return CompletableFuture.allOf(
            byOwner(changes).stream()
                .map(part -> CompletableFuture.runAsync(() -> apply(part, result, 1), threads))
                .toArray(CompletableFuture[]::new))
        .thenApply(done -> result)
        .orTimeout(UPDATE_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Divides changes by the primary owners of their entries. One command with changes of several
   * owners would hold the locks of one while it waits for those of another.
   */
  private Collection<Map<ValueId, Change>> byOwner(Map<ValueId, Change> changes) {
    LocalizedCacheTopology topology = topology();
    Map<Address, Map<ValueId, Change>> parts = new HashMap<>();
    changes.forEach((id, change) -> {
      Address owner = topology.getDistribution(new WrappedByteArray(id.bytes())).primary();
      parts.computeIfAbsent(owner, any -> new HashMap<>()).put(id, change);
    });
    return parts.values();
  }

  /** Applies changes; again if it fails, while owners change: that has the same result. */
  private void apply(
      Map<ValueId, Change> changes, Map<ValueId, DirectoryEntry> result, int attempt) {
    try {
      apply(changes, result);
    } catch (CacheException | CompletionException failed) {
      if (attempt == ATTEMPTS || entries.getStatus() != ComponentStatus.RUNNING) {
        throw failed;
      }
      byOwner(changes).forEach(part -> apply(part, result, attempt + 1));
    }
  }

  private void apply(Map<ValueId, Change> changes, Map<ValueId, DirectoryEntry> result) {
    IdentityHashMap<byte[], byte[]> encoded = new IdentityHashMap<>(changes.size());
    changes.forEach((id, change) -> encoded.put(id.bytes(), ChangeCodec.encode(change)));
    updates
        .evalMany(encoded, ApplyChange.APPLY)
        .forEach(bytes -> {
          if (bytes.length > ValueId.BYTES) {
            byte[] entry = Arrays.copyOfRange(bytes, ValueId.BYTES, bytes.length);
            result.put(ValueId.read(bytes), DirectoryEntry.decode(entry));
          }
        });
  }

  @Override
  public CompletableFuture<Set<ValueId>> repair(Collection<ValueId> ids) {
    return reads
        .getFromEachOwner(ids)
        .thenCompose(found -> {
          Map<ValueId, Change> changes = new HashMap<>();
          for (ValueId id : ids) {
            List<Optional<DirectoryEntry>> each = found.getOrDefault(id, List.of());
            if (each.stream().distinct().count() > 1) {
              each.stream()
                  .flatMap(Optional::stream)
                  .reduce(DirectoryEntry::merge)
                  .ifPresent(entry -> changes.put(id, new Change.Merged(entry)));
            }
          }
          return update(changes).thenApply(_ -> Set.copyOf(changes.keySet()));
        });
  }

  @Override
  public int segments() {
    return topology().getReadConsistentHash().getNumSegments();
  }

  @Override
  public Map<ValueId, DirectoryEntry> owned(int segment) {
    LocalizedCacheTopology topology = topology();
    Address owner = topology.getReadConsistentHash().locatePrimaryOwnerForSegment(segment);
    if (!topology.getLocalAddress().equals(owner)) {
      return Map.of();
    }
    Map<ValueId, DirectoryEntry> owned = new HashMap<>();
    try (CacheStream<CacheEntry<byte[], byte[]>> entriesHere =
        local.cacheEntrySet().stream().filterKeySegments(IntSets.immutableSet(segment))) {
      Iterator<CacheEntry<byte[], byte[]>> each = entriesHere.iterator();
      while (each.hasNext()) {
        CacheEntry<byte[], byte[]> entry = each.next();
        owned.put(ValueId.read(entry.getKey()), DirectoryEntry.decode(entry.getValue()));
      }
    }
    return owned;
  }

  private LocalizedCacheTopology topology() {
    return entries.getDistributionManager().getCacheTopology();
  }

  @Override
  public CompletableFuture<Void> clear() {
    return entries.clearAsync().orTimeout(UPDATE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public long size() {
    if (counting.compareAndSet(false, true)) {
      CompletableFuture<?> _ =
          entries
              .sizeAsync()
              .whenComplete((count, failure) -> {
                size = failure == null ? count : size;
                counting.set(false);
              });
    }
    return size;
  }
}
