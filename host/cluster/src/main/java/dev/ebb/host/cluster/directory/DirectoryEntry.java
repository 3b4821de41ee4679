package dev.ebb.host.cluster.directory;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the cluster knows about one value.
 *
 * @param version the newest version, by the hybrid logical clock
 * @param bytes its size
 * @param crc32c its checksum
 * @param expiresAt wall-clock milliseconds, or {@code Long.MAX_VALUE} if it does not expire
 * @param immutable its key names its content, so that copies of all versions are valid
 * @param deleted a client deleted it at this version; there are no holders
 * @param holders the nodes with a copy; the first is the primary one
 */
public record DirectoryEntry(
    long version,
    long bytes,
    int crc32c,
    long expiresAt,
    boolean immutable,
    boolean deleted,
    List<Holder> holders) {

  public DirectoryEntry {
    holders = List.copyOf(holders);
  }

  /** Returns the copy of a node; null if it has none. */
  public @Nullable Holder of(int node) {
    for (Holder holder : holders) {
      if (holder.node() == node) {
        return holder;
      }
    }
    return null;
  }
}
