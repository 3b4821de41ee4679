package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.ValuePart;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.transfer.FetchResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads of a range of a value, and of values that are too large for the read cache. The bytes
 * arrive in memory of the read cache, in parts, and each part is freed when the client has received
 * it. So a client never finds a part in place of a value.
 */
final class PartialReads {

  /** A smaller value is fetched as a whole, also if few of its bytes are wanted. */
  private static final long ALWAYS_WHOLE = 64 << 10;

  /** A part is at most this share of the read cache, because many clients read at a time. */
  private static final long MOST_SHARE = 64;

  private static final long LEAST_PART = 64 << 10;
  private static final long MOST_PART = 8 << 20;

  /** How often a part that found no room in the read cache is fetched again. */
  private static final int ATTEMPTS = 50;

  private static final long ATTEMPT_MILLIS = 20;

  private final ClusterNode cluster;
  private final ObjectStore memory;
  private final ReadFetches fetches;

  /** Larger values are not stored in the read cache. */
  private final long mostBytes;

  private final long partBytes;

  /**
   * What is left of a read.
   *
   * @param nodes those that have the value
   * @param length the length of the value
   * @param version the version wanted; 0 for any
   * @param left the bytes that are missing
   * @param trace the trace context of the client's request; null without one
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Rest(
      byte[] key,
      List<Node> nodes,
      long length,
      long version,
      ByteRange left,
      @Nullable String trace) {}

  PartialReads(ClusterNode cluster, ReadFetches fetches) {
    this.cluster = cluster;
    this.fetches = fetches;
    memory = cluster.stores.readCache();
    long capacity = memory.stats().capacityBytes();
    mostBytes = capacity / 2;
    partBytes = Math.clamp(capacity / MOST_SHARE, LEAST_PART, MOST_PART);
  }

  /** Returns whether a range is read without the rest of its value. */
  boolean separates(long valueBytes, ByteRange wanted) {
    return valueBytes > mostBytes
        || (valueBytes > ALWAYS_WHOLE && wanted.length() < valueBytes / 2);
  }

  /**
   * Reads a range of a value.
   *
   * @param wanted returns the bytes wanted of metadata, whose length the directory does not know
   * @param trace the trace context of the client's request; null without one
   * @return completes with the first part, or null if no node has the value
   */
  CompletableFuture<@Nullable ValuePart> read(
      byte[] key,
      DirectoryEntry entry,
      ByteRange range,
      LongFunction<ByteRange> wanted,
      @Nullable String trace) {
    byte[] mainKey = ChunkKeys.mainKey(key);
    long version = entry.immutable() ? 0 : entry.version();
    List<Node> nodes = cluster.members.nearest(ValueId.of(mainKey), entry);
    Rest all = new Rest(mainKey, nodes, entry.bytes(), version, range, trace);
    return CompletableFuture.supplyAsync(
        () -> ChunkKeys.isMetadata(key) ? metadata(all, wanted) : first(all), cluster.threads);
  }

  /** Reads the first part of what is left; returns null if no node has it. */
  private @Nullable ValuePart first(Rest rest) {
    long end = Math.min(rest.left.to(), rest.left.from() + partBytes);
    ByteRange range = new ByteRange(rest.left.from(), end);
    ValueReader reader =
        fetched(
            rest,
            node ->
                cluster.fetcher.part(
                    node, rest.key, rest.length, rest.version, range, memory, rest.trace));
    if (reader == null) {
      return null;
    }
    ByteRange read = ByteRange.whole(reader.length());
    ByteRange left = new ByteRange(end, rest.left.to());
    Rest next = new Rest(rest.key, rest.nodes, rest.length, reader.version(), left, rest.trace);
    return left.length() == 0
        ? new ValuePart(reader, read)
        : new ValuePart(
            reader,
            read,
            left.length(),
            () -> CompletableFuture.supplyAsync(() -> following(next), cluster.threads));
  }

  private ValuePart following(Rest rest) {
    ValuePart part = first(rest);
    if (part == null) {
      throw new IllegalStateException(
          "no node returned bytes '%d' to '%d' of version '%d'"
              .formatted(rest.left.from(), rest.left.to(), rest.version));
    }
    return part;
  }

  private @Nullable ValuePart metadata(Rest rest, LongFunction<ByteRange> wanted) {
    ValueReader reader = fetched(rest, node -> cluster.fetcher.metadata(node, rest.key, memory));
    return reader == null ? null : new ValuePart(reader, wanted.apply(reader.length()));
  }

  private @Nullable ValueReader fetched(Rest rest, ReadFetches.Fetch fetch) {
    try {
      for (int i = 0; i < ATTEMPTS; i++) {
        boolean full = false;
        for (Node node : rest.nodes) {
          Fetcher.Part part = fetches.run(rest.key, node, fetch);
          if (part != null && part.reader() != null) {
            return part.reader();
          }
          full |= part != null && part.result().status() == FetchResult.Status.REFUSED;
        }
        if (!full) {
          return null;
        }
        // Values and parts that clients are receiving fill the read cache.
        Thread.sleep(ATTEMPT_MILLIS);
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
    return null;
  }
}
