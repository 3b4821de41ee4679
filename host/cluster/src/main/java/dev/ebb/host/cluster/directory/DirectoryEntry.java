package dev.ebb.host.cluster.directory;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cluster's knowledge of one value.
 *
 * @param version the newest version, by the hybrid logical clock
 * @param bytes its size
 * @param crc32c its checksum
 * @param expiresAt wall-clock milliseconds, or {@code Long.MAX_VALUE} if it does not expire
 * @param immutable its key names its content, so that copies of all versions are valid
 * @param deleted a client deleted it at this version; there are no holders
 * @param holders the nodes with a copy, each once; the first is the primary one
 * @param stale the nodes, sorted, that may still have an overwritten or deleted copy, which they
 *     have to remove; they have no valid one
 */
public record DirectoryEntry(
    long version,
    long bytes,
    int crc32c,
    long expiresAt,
    boolean immutable,
    boolean deleted,
    List<Holder> holders,
    List<Integer> stale) {

  public DirectoryEntry {
    holders = List.copyOf(holders);
    stale = stale.stream().distinct().sorted().toList();
    Set<Integer> nodes = HashSet.newHashSet(holders.size());
    for (Holder holder : holders) {
      if (!nodes.add(holder.node())) {
        throw new IllegalArgumentException(
            "node '%08x' is a holder twice".formatted(holder.node()));
      }
    }
    if (stale.stream().anyMatch(nodes::contains)) {
      throw new IllegalArgumentException("a node is both a holder and stale");
    }
    if (holders.isEmpty() != deleted) {
      throw new IllegalArgumentException(
          deleted ? "a deleted entry has holders" : "an entry has no holders");
    }
    if (bytes < 0 || expiresAt < 0) {
      throw new IllegalArgumentException(
          "size '%d' or expiry '%d' is negative".formatted(bytes, expiresAt));
    }
  }

  /** Returns the entry of a value that was deleted. */
  public static DirectoryEntry tombstone(long version, Collection<Integer> stale) {
    return new DirectoryEntry(
        version, 0, 0, Long.MAX_VALUE, false, true, List.of(), List.copyOf(stale));
  }

  public static DirectoryEntry decode(byte[] bytes) {
    return EntryCodec.decode(bytes);
  }

  /** Returns the entry as bytes, about 26 for two holders. */
  public byte[] encode() {
    return EntryCodec.encode(this);
  }

  /**
   * Returns an entry after a change; null if it does not exist any more. Applying a change again
   * does not alter the result.
   *
   * @param old null if there was none
   */
  public static @Nullable DirectoryEntry apply(@Nullable DirectoryEntry old, Change change) {
    return EntryRules.apply(old, change);
  }

  /**
   * Returns the entry of two partitions of the cluster that found each other again. Immutable
   * copies of both are kept. Otherwise the newest version is kept, and a deletion takes precedence
   * over a copy of its version. A deletion or a plain copy takes precedence over an immutable copy,
   * whose holders announce it again.
   */
  public static DirectoryEntry merge(DirectoryEntry a, DirectoryEntry b) {
    return EntryRules.merge(a, b);
  }

  public @Nullable Holder of(int node) {
    for (Holder holder : holders) {
      if (holder.node() == node) {
        return holder;
      }
    }
    return null;
  }

  /** Returns the nodes that may have a copy, valid or not. */
  public Set<Integer> nodes() {
    Set<Integer> nodes = new HashSet<>(stale);
    holders.forEach(holder -> nodes.add(holder.node()));
    return nodes;
  }

  /** Returns this entry with other holders; nodes that are none of these become stale. */
  DirectoryEntry with(List<Holder> changed, Collection<Integer> others) {
    return with(expiresAt, changed, others);
  }

  DirectoryEntry with(long expiry, List<Holder> changed, Collection<Integer> others) {
    Set<Integer> left = new HashSet<>(others);
    changed.forEach(holder -> left.remove(holder.node()));
    return new DirectoryEntry(
        version, bytes, crc32c, expiry, immutable, deleted, changed, List.copyOf(left));
  }
}
