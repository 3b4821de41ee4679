package dev.ebb.host.cache.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cache's own data structures against those of the JDK. */
class CacheStructuresTest {

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void theIndexFindsWhatAMapFinds(long seed) {
    Random random = new Random(seed);
    PrefixIndex index = new PrefixIndex();
    Map<List<Long>, CacheEntry> map = new HashMap<>();
    for (int step = 0; step < 100_000; step++) {
      // Few and badly mixed keys, zero among them, so that probes run into each other.
      long low = random.nextInt(200) * (seed % 2 == 0 ? 1L << 40 : 1L);
      long high = random.nextInt(3);
      List<Long> key = List.of(low, high);
      CacheEntry known = map.get(key);
      assertThat(index.find(low, high)).isSameAs(known);
      if (known == null && random.nextInt(3) > 0) {
        CacheEntry entry = new CacheEntry();
        entry.reset(low, high, null, 0, RequestFacts.UNKNOWN);
        index.add(entry);
        map.put(key, entry);
      } else if (known != null && random.nextInt(3) > 0) {
        index.remove(known);
        map.remove(key);
      }
      assertThat(index.size()).isEqualTo(map.size());
    }
    map.forEach((key, entry) -> assertThat(index.find(key.get(0), key.get(1))).isSameAs(entry));
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2})
  void slotsAreDenseAndNeverShared(long seed) {
    Random random = new Random(seed);
    SlotTable table = new SlotTable();
    List<CacheEntry> live = new ArrayList<>();
    int most = 0;
    for (int step = 0; step < 20_000; step++) {
      if (live.isEmpty() || (random.nextInt(5) > 1 && live.size() < 300)) {
        live.add(table.take());
        most = Math.max(most, live.size());
      } else {
        CacheEntry entry = live.remove(random.nextInt(live.size()));
        table.remove(entry);
        assertThat(table.owns(entry)).isTrue();
        table.giveBack(entry);
        assertThat(table.owns(entry)).isFalse();
        assertThat(entry.resident()).isFalse();
      }
      assertThat(live).allMatch(entry -> table.owns(entry) && entry.resident());
    }
    assertThat(live.stream().mapToInt(CacheEntry::slot).distinct().count()).isEqualTo(live.size());
    int highest = most;
    assertThat(live).allMatch(entry -> entry.slot() < highest);
  }
}
