package dev.ebb.host.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The index against a map. */
class DiskIndexTest {

  @Test
  void doesWhatAMapDoes() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      DiskIndex index = new DiskIndex();
      Map<Long, Long> map = new HashMap<>();
      for (int step = 0; step < 20_000; step++) {
        // Few different high bits, so that many hashes meet in one place.
        long hash = (long) random.nextInt(40) << 58 | random.nextInt(100) | 1;
        long location = Location.of(random.nextInt(9), 8192, 64 * (1 + random.nextInt(50)), false);
        switch (random.nextInt(5)) {
          case 0, 1 -> {
            index.put(hash, location);
            map.put(hash, location);
          }
          case 2 -> {
            boolean added = index.putIfAbsent(hash, location);
            assertThat(added)
                .as("seed %d", seed)
                .isEqualTo(map.putIfAbsent(hash, location) == null);
          }
          case 3 -> {
            Long before = map.remove(hash);
            assertThat(index.remove(hash)).isEqualTo(before == null ? Location.NONE : before);
          }
          default -> {
            long expected = map.getOrDefault(hash, location);
            boolean removes = random.nextBoolean();
            long next = removes ? Location.NONE : location;
            boolean present = map.containsKey(hash);
            assertThat(index.replace(hash, expected, next)).isEqualTo(present);
            if (present && removes) {
              map.remove(hash);
            } else if (present) {
              map.put(hash, location);
            }
          }
        }
        assertThat(index.get(hash)).isEqualTo(map.getOrDefault(hash, Location.NONE));
      }
      Map<Long, Long> all = new HashMap<>();
      index.each(all::put);
      assertThat(all).as("seed %d", seed).isEqualTo(map);
      assertThat(index.size()).isEqualTo(map.size());
      assertThat(index.liveBytes())
          .isEqualTo(map.values().stream().mapToLong(Location::bytes).sum());
    }
  }

  @Test
  void takesAtMost24BytesAnEntry() {
    DiskIndex index = new DiskIndex();
    Random random = new Random(1);
    for (int i = 0; i < 300_000; i++) {
      index.put(random.nextLong(), Location.of(1, 8192, 64, false));
    }

    assertThat(index.bytes()).isLessThanOrEqualTo(24 * index.size());
  }

  @Test
  void marksWhatWasRead() {
    DiskIndex index = new DiskIndex();
    long location = Location.of(3, 8192, 640, true);
    index.put(7, location);

    index.read(7, location);

    assertThat(Location.wasRead(index.get(7))).isTrue();
    assertThat(Location.same(index.get(7), location)).isTrue();
    assertThat(index.replace(7, location, Location.NONE)).isTrue();
  }
}
