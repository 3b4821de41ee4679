package dev.ebb.host.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.stats.GhostWindow;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ghost window against plain maps. */
class GhostWindowTest {

  private record Ghost(int blocks, long number, long time) {}

  private long now;

  @ParameterizedTest(name = "length {0}")
  @ValueSource(ints = {1, 7, 1_000, 100_000})
  void theGhostWindowCountsWhatAListCountsButForOneInAThousand(int length) {
    Random random = new Random(length);
    GhostWindow window = new GhostWindow(length);
    Map<Long, Integer> evictions = new HashMap<>();
    int evicted = 0;
    long askedAgain = 0;
    for (int step = 0; step < 20 * length + 10_000; step++) {
      long key = random.nextInt(3 * length + 5);
      // What left comes back before it can leave again.
      if (!evictions.containsKey(key)) {
        evictions.put(key, ++evicted);
        window.onEvicted(key, 1);
      } else if (random.nextBoolean()) {
        Integer time = evictions.remove(key);
        if (time != null && evicted - time < length) {
          askedAgain++;
        }
        window.onMissed(key);
      }
    }
    assertThat(window.evicted()).isEqualTo(evicted);
    assertThat(window.askedAgain()).isBetween(askedAgain - askedAgain / 1_000, askedAgain);
  }

  /** Entries that are evicted, requested, and stored again without a request, in any order. */
  @ParameterizedTest(name = "seed {0}, length {1}, {2} keys")
  @CsvSource({"1, 1, 3", "2, 7, 30", "3, 1000, 1200", "4, 1000, 20000", "5, 65536, 150000"})
  void theLastEvictionsAreCountedOnceEachWithTheirBlocksAndTheTimeSince(
      long seed, int length, int keys) {
    Random random = new Random(seed);
    GhostWindow window = new GhostWindow(length, () -> now);
    Map<Long, Ghost> ghosts = new HashMap<>();
    long evicted = 0;
    long count = 0;
    long blocks = 0;
    long gap = 0;
    for (int step = 0; step < 12 * length + 10_000; step++) {
      now += random.nextInt(1_000);
      long key = random.nextInt(keys) * (seed % 2 == 0 ? 1L << 40 : 1L);
      if (random.nextInt(3) > 0) {
        Ghost ghost = new Ghost(1 + random.nextInt(70), ++evicted, now);
        ghosts.put(key, ghost);
        window.onEvicted(key, ghost.blocks);
      } else {
        Ghost ghost = ghosts.remove(key);
        if (ghost != null && evicted - ghost.number < length) {
          count++;
          blocks += ghost.blocks;
          gap += now - ghost.time;
        }
        window.onMissed(key);
      }
    }
    assertThat(window.evicted()).isEqualTo(evicted);
    assertThat(window.askedAgain()).isPositive().isBetween(count - count / 1_000, count);
    assertThat(window.askedAgainBlocks()).isBetween(blocks - blocks / 500, blocks);
    assertThat(window.gapNanos()).isBetween(gap - gap / 500, gap);
  }
}
