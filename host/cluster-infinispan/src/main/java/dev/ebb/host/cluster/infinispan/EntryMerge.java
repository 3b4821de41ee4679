package dev.ebb.host.cluster.infinispan;

import dev.ebb.host.cluster.directory.DirectoryEntry;
import java.util.ArrayList;
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
    List<CacheEntry<Object, Object>> all = new ArrayList<>(others);
    if (preferred != null) {
      all.add(preferred);
    }
    if (all.isEmpty()) {
      return null;
    }
    DirectoryEntry merged =
        all.stream().map(EntryMerge::decode).reduce(DirectoryEntry::merge).orElseThrow();
    // Deleted entries have a lifespan, others do not.
    CacheEntry<Object, Object> alike =
        all.stream()
            .filter(entry -> decode(entry).deleted() == merged.deleted())
            .findFirst()
            .orElseThrow();
    CacheEntry<Object, Object> result = alike.clone();
    boolean wrapped = result.getValue() instanceof WrappedByteArray;
    result.setValue(wrapped ? new WrappedByteArray(merged.encode()) : merged.encode());
    return result;
  }

  private static DirectoryEntry decode(CacheEntry<Object, Object> entry) {
    return DirectoryEntry.decode(bytes(entry));
  }

  private static byte[] bytes(CacheEntry<Object, Object> entry) {
    return entry.getValue() instanceof WrappedByteArray wrapped
        ? wrapped.getBytes()
        : (byte[]) entry.getValue();
  }
}
