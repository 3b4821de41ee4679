package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PrematureEvictionsTest {

  private record Ghost(long fingerprint, int units, long at) {}

  /** More evictions than are remembered, of few enough keys to be evicted again meanwhile. */
  @Test
  void theLastEvictionsAreRememberedOnceEach() {
    Random random = new Random(3);
    PrematureEvictions prematureEvictions = new PrematureEvictions();
    List<Ghost> ring = new ArrayList<>();
    int forgotten = 0;
    long count = 0;
    long units = 0;
    long gap = 0;
    for (int now = 1; now <= 400_000; now++) {
      long fingerprint = random.nextInt(150_000);
      if (random.nextInt(4) > 0) {
        Ghost ghost = new Ghost(fingerprint, 1 + random.nextInt(70), now);
        ring.add(ghost);
        forgotten = Math.max(0, ring.size() - PrematureEvictions.WINDOW);
        prematureEvictions.evicted(fingerprint, ghost.units, now);
      } else if (now % 97 == 0) {
        for (int i = ring.size() - 1; i >= forgotten; i--) {
          Ghost ghost = ring.get(i);
          if (ghost.fingerprint == fingerprint) {
            count += ghost.at > 0 ? 1 : 0;
            units += ghost.at > 0 ? ghost.units : 0;
            gap += ghost.at > 0 ? now - ghost.at : 0;
            // Once asked for, all that is remembered of it counts no more.
            ring.set(i, new Ghost(fingerprint, 0, 0));
            break;
          }
        }
        prematureEvictions.missed(fingerprint, now);
      }
    }
    PrematureEvictionStats stats = prematureEvictions.stats();
    assertThat(stats.count()).isEqualTo(count).isPositive();
    assertThat(stats.bytes()).isEqualTo(units * ObjectMemory.UNIT_BYTES);
    assertThat(stats.gapSeconds()).isCloseTo(gap / 1e9, within(1e-9));
  }
}
