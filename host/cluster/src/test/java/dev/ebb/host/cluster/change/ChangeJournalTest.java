package dev.ebb.host.cluster.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cluster.message.Message.Item;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The last changes of values. */
class ChangeJournalTest {

  private static final int MOST = 50;
  private static final int KEYS = 200;

  private static byte[] key(int number) {
    return ("key-" + number).getBytes(StandardCharsets.UTF_8);
  }

  private static Map<String, Long> floors(Changes changes) {
    return changes.floors().stream()
        .collect(
            Collectors.toMap(
                item -> new String(item.key(), StandardCharsets.UTF_8), Item::version));
  }

  /** Changes in a random order are either all known, or the journal says from when on it knows. */
  @Test
  void noChangeAfterWhatItCoversIsMissing() {
    Random random = new Random(1);
    for (int round = 0; round < 200; round++) {
      ChangeJournal journal = new ChangeJournal(MOST, Long.MAX_VALUE);
      journal.covers(0);
      Map<String, Long> newest = new HashMap<>();
      long cleared = 0;
      int steps = random.nextInt(300);
      for (int i = 1; i <= steps; i++) {
        long version = 10L * i + random.nextInt(30);
        if (random.nextInt(100) == 0) {
          journal.clear(version);
          cleared = Math.max(cleared, version);
        } else {
          int key = random.nextInt(KEYS);
          journal.add(key(key), version);
          newest.merge("key-" + key, version, Math::max);
        }
      }
      long since = random.nextInt(10 * steps + 20);
      Changes changes = Changes.decode(journal.since(since).encode());
      assertThat(changes.floors()).hasSizeLessThanOrEqualTo(MOST);
      assertThat(changes.cleared()).isEqualTo(cleared);
      long known = Math.max(Math.max(since, changes.from()), cleared);
      Map<String, Long> expected = new HashMap<>(newest);
      expected.values().removeIf(version -> version <= known);
      assertThat(floors(changes)).containsAllEntriesOf(expected);
      for (Map.Entry<String, Long> each : expected.entrySet()) {
        byte[] key = each.getKey().getBytes(StandardCharsets.UTF_8);
        assertThat(journal.isValid(key, each.getValue())).isTrue();
        assertThat(journal.isValid(key, each.getValue() - 1)).isFalse();
      }
      assertThat(journal.isValid(key(KEYS), cleared)).isFalse();
      assertThat(journal.isValid(key(KEYS), cleared + 1)).isTrue();
    }
  }

  @Test
  void itForgetsTheOldestChangesWhenKeysAreLong() {
    ChangeJournal journal = new ChangeJournal(1_000, 100);
    journal.covers(3);
    assertThat(journal.since(3).from()).isEqualTo(3);
    for (int i = 0; i < 10; i++) {
      byte[] key = new byte[30];
      Arrays.fill(key, (byte) i);
      assertThat(journal.add(key, 10 + i)).isTrue();
      assertThat(journal.add(key, 10 + i)).isFalse();
    }
    Changes changes = journal.since(0);
    assertThat(changes.floors()).extracting(Item::version).containsExactly(17L, 18L, 19L);
    assertThat(changes.forgotten()).isTrue();
    assertThat(changes.from()).isEqualTo(16);
  }

  @Test
  void truncatedChangesAreRefused() {
    ChangeJournal journal = new ChangeJournal(10, 1_000);
    journal.covers(1);
    journal.add(key(1), 7);
    byte[] bytes = journal.since(0).encode();
    assertThatThrownBy(() -> Changes.decode(Arrays.copyOf(bytes, bytes.length - 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("truncated");
  }
}
