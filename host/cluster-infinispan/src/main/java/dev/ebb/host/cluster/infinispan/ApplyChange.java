package dev.ebb.host.cluster.infinispan;

import dev.ebb.host.cluster.directory.ChangeCodec;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import java.util.Arrays;
import java.util.function.BiFunction;
import org.infinispan.functional.EntryView.ReadWriteEntryView;
import org.infinispan.functional.MetaParam.MetaLifespan;
import org.jspecify.annotations.Nullable;

/**
 * Applies an encoded change to an entry, at all its owners. It returns the key, followed by the
 * entry if there is one: results of several owners come in no order. Infinispan repeats it when
 * owners change.
 */
enum ApplyChange implements BiFunction<byte[], ReadWriteEntryView<byte[], byte[]>, byte[]> {
  APPLY;

  /** Partitions that last longer can return a deleted value. */
  private static final long TOMBSTONE_MILLIS = 10 * 60_000L;

  @Override
  public byte[] apply(byte[] change, ReadWriteEntryView<byte[], byte[]> view) {
    byte[] key = view.key();
    byte @Nullable [] before = view.find().orElse(null);
    DirectoryEntry old = before == null ? null : DirectoryEntry.decode(before);
    DirectoryEntry entry = DirectoryEntry.apply(old, ChangeCodec.decode(change));
    if (entry == null) {
      if (old != null) {
        view.remove();
      }
      return key;
    }
    byte[] after = entry.encode();
    if (!Arrays.equals(before, after)) {
      if (entry.deleted()) {
        view.set(after, new MetaLifespan(TOMBSTONE_MILLIS));
      } else {
        view.set(after);
      }
    }
    byte[] result = Arrays.copyOf(key, key.length + after.length);
    System.arraycopy(after, 0, result, key.length, after.length);
    return result;
  }
}
