package dev.ebb.host.cluster.directory;

import java.util.List;
import org.infinispan.commons.marshall.WrappedByteArray;
import org.infinispan.conflict.EntryMergePolicy;
import org.infinispan.container.entries.CacheEntry;
import org.jspecify.annotations.Nullable;

/** Merges entries of the directory after a partition of the cluster healed. */
final class EntryMerge implements EntryMergePolicy<Object, Object> {

  @Override
  public @Nullable CacheEntry<Object, Object> merge(
      @Nullable CacheEntry<Object, Object> preferred, List<CacheEntry<Object, Object>> others) {
    CacheEntry<Object, Object> result = preferred;
    DirectoryEntry merged = preferred == null ? null : DirectoryEntry.decode(bytes(preferred));
    for (CacheEntry<Object, Object> other : others) {
      DirectoryEntry entry = DirectoryEntry.decode(bytes(other));
      DirectoryEntry both = merged == null ? entry : DirectoryEntry.merge(merged, entry);
      // The lifespan of a deleted entry stays with it.
      if (result == null || !both.equals(merged)) {
        result = other;
      }
      merged = both;
    }
    if (result == null || merged == null) {
      return null;
    }
    CacheEntry<Object, Object> copy = result.clone();
    boolean wrapped = result.getValue() instanceof WrappedByteArray;
    copy.setValue(wrapped ? new WrappedByteArray(merged.encode()) : merged.encode());
    return copy;
  }

  private static byte[] bytes(CacheEntry<Object, Object> entry) {
    return entry.getValue() instanceof WrappedByteArray wrapped
        ? wrapped.getBytes()
        : (byte[]) entry.getValue();
  }
}
