package dev.ebb.host.cluster.change;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TombstonesTest {

  private static final byte[] KEY = bytes("key");

  private final Tombstones deletions = new Tombstones();
  private final List<Long> stored = new ArrayList<>();

  private boolean store(byte[] key, long version, long clears) {
    return deletions.store(key, version, clears, () -> stored.add(version));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void copiesOlderThanTheDeletionAreNotStored() {
    deletions.delete(KEY, 5, () -> {});
    deletions.delete(KEY, 3, () -> {});
    assertThat(store(KEY, 4, 0)).isFalse();
    assertThat(store(KEY, 5, 0)).isFalse();
    assertThat(store(KEY, 6, 0)).isTrue();
    assertThat(store(bytes("other"), 4, 0)).isTrue();
    assertThat(stored).containsExactly(6L, 4L);
  }

  @Test
  void copiesAskedForBeforeAllWereRemovedAreNotStored() {
    long before = deletions.clears();
    deletions.clear(8, stored::clear);
    assertThat(store(KEY, 9, before)).isFalse();
    assertThat(store(KEY, 8, deletions.clears())).as("not newer").isFalse();
    assertThat(store(KEY, 9, deletions.clears())).isTrue();
  }

  @Test
  void onlyTheNewestDeletionsAreKept() {
    for (int i = 0; i < 200_000; i++) {
      deletions.delete(bytes("key" + i), 5, () -> {});
    }
    assertThat(store(bytes("key0"), 4, 0)).isTrue();
    assertThat(store(bytes("key199999"), 4, 0)).isFalse();
  }
}
