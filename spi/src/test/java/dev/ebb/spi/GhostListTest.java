package dev.ebb.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GhostListTest {

  @ParameterizedTest(name = "seed {0}, capacity {1}")
  @CsvSource({"1, 1", "2, 2", "3, 17", "4, 100", "5, 1000"})
  void remembersWhatALinkedHashSetWould(long seed, int capacity) {
    Random random = new Random(seed);
    GhostList ghosts = new GhostList(capacity);
    LinkedHashSet<Long> oracle = new LinkedHashSet<>();
    int limit = capacity;
    for (int step = 0; step < 20_000; step++) {
      // Multiples of a power of two collide in a badly mixed table.
      long fingerprint = (long) random.nextInt(3 * capacity) << (step % 2 == 0 ? 0 : 40);
      switch (random.nextInt(step % 4_000 == 0 ? 8 : 7)) {
        case 0 -> assertThat(ghosts.remove(fingerprint)).isEqualTo(oracle.remove(fingerprint));
        case 1 -> {
          assertThat(ghosts.removeOldest()).isEqualTo(!oracle.isEmpty());
          if (!oracle.isEmpty()) {
            oracle.removeFirst();
          }
        }
        case 7 -> {
          limit = 1 + random.nextInt(2 * capacity);
          ghosts.resize(limit);
        }
        default -> {
          ghosts.add(fingerprint);
          oracle.remove(fingerprint);
          oracle.add(fingerprint);
        }
      }
      while (oracle.size() > limit) {
        oracle.removeFirst();
      }
      assertThat(ghosts.size()).isEqualTo(oracle.size());
      long probe = random.nextInt(3 * capacity);
      assertThat(ghosts.contains(probe)).isEqualTo(oracle.contains(probe));
    }
    while (!oracle.isEmpty()) {
      assertThat(ghosts.contains(oracle.getFirst())).isTrue();
      ghosts.removeOldest();
      assertThat(ghosts.contains(oracle.removeFirst())).isFalse();
    }
    assertThat(ghosts.size()).isZero();
  }

  @ParameterizedTest(name = "seed {0}, capacity {1}")
  @CsvSource({"1, 1", "2, 17", "3, 300"})
  void remembersTheNumbersThatALinkedHashMapWould(long seed, int capacity) {
    Random random = new Random(seed);
    GhostList ghosts = new GhostList(capacity);
    LinkedHashMap<Long, Long> oracle = new LinkedHashMap<>();
    for (int step = 0; step < 20_000; step++) {
      long fingerprint = random.nextInt(2 * capacity);
      oracle.remove(fingerprint);
      // At first none has a number, and some never have one.
      if (step < capacity || random.nextInt(3) == 0) {
        ghosts.add(fingerprint);
        oracle.put(fingerprint, 0L);
      } else if (random.nextInt(4) == 0) {
        ghosts.remove(fingerprint);
      } else {
        long value = random.nextLong();
        ghosts.add(fingerprint, value);
        oracle.put(fingerprint, value);
      }
      if (oracle.size() > capacity) {
        oracle.pollFirstEntry();
      }
      long probe = random.nextInt(2 * capacity);
      assertThat(ghosts.value(probe, -1)).isEqualTo(oracle.getOrDefault(probe, -1L));
    }
  }

  @Test
  void ofNoCapacityRemembersNothing() {
    GhostList ghosts = new GhostList(0);
    ghosts.add(7);
    ghosts.add(7, 70);
    assertThat(ghosts.contains(7)).isFalse();
    assertThat(ghosts.value(7, -1)).isEqualTo(-1);
    assertThat(ghosts.size()).isZero();
  }

  @Test
  void cutsDownACapacityBeyondTheLargest() {
    assertThat(new GhostList(Long.MAX_VALUE).capacity()).isEqualTo(GhostList.MAX_CAPACITY);
  }

  @Test
  void refusesANegativeCapacity() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new GhostList(-1))
        .withMessage("capacity '-1' must be 0 or more");
  }
}
