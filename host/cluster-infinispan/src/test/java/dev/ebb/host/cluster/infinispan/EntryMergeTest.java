package dev.ebb.host.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Holder;
import java.util.List;
import java.util.Objects;
import org.infinispan.commons.marshall.WrappedByteArray;
import org.infinispan.container.entries.CacheEntry;
import org.infinispan.container.entries.ImmortalCacheEntry;
import org.infinispan.container.entries.MortalCacheEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EntryMergeTest {

  private static final long LIFESPAN = 1_000;

  @Test
  void aDeletedEntryKeepsItsLifespanWithTheStaleNodesOfTheOther() {
    CacheEntry<Object, Object> merged = merge(live(1), deleted(2));

    assertThat(decode(merged)).isEqualTo(DirectoryEntry.tombstone(2, List.of(7)));
    assertThat(merged.getLifespan()).isEqualTo(LIFESPAN);
    assertThat(decode(merge(deleted(2), live(1)))).isEqualTo(decode(merged));
    assertThat(merge(deleted(2), live(1)).getLifespan()).isEqualTo(LIFESPAN);
  }

  @Test
  void aNewerValueHasNoLifespanOfADeletedOne() {
    CacheEntry<Object, Object> merged = merge(deleted(1), live(2));

    assertThat(decode(merged).deleted()).isFalse();
    assertThat(merged.getLifespan()).isNegative();
    assertThat(merge(live(2), deleted(1)).getLifespan()).isNegative();
  }

  @Test
  void anEntryOfOnePartitionIsKept() {
    assertThat(decode(merge(null, live(1)))).isEqualTo(decode(live(1)));
    assertThat(new EntryMerge().merge(null, List.of())).isNull();
  }

  private static CacheEntry<Object, Object> merge(
      @Nullable CacheEntry<Object, Object> preferred, CacheEntry<Object, Object> other) {
    return Objects.requireNonNull(new EntryMerge().merge(preferred, List.of(other)));
  }

  private static DirectoryEntry decode(CacheEntry<Object, Object> entry) {
    return DirectoryEntry.decode(((WrappedByteArray) entry.getValue()).getBytes());
  }

  @SuppressWarnings("unchecked") // Infinispan's entries have no type parameters.
  private static CacheEntry<Object, Object> live(long version) {
    DirectoryEntry entry =
        new DirectoryEntry(
            version, 1, 1, Long.MAX_VALUE, false, false, List.of(new Holder(7, false)), List.of());
    return new ImmortalCacheEntry("key", new WrappedByteArray(entry.encode()));
  }

  @SuppressWarnings("unchecked") // As above.
  private static CacheEntry<Object, Object> deleted(long version) {
    DirectoryEntry entry = DirectoryEntry.tombstone(version, List.of());
    return new MortalCacheEntry("key", new WrappedByteArray(entry.encode()), LIFESPAN, 1);
  }
}
