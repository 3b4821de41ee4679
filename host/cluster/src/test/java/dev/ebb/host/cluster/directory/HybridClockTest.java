package dev.ebb.host.cluster.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HybridClockTest {

  private final AtomicLong wall = new AtomicLong(1_700_000_000_000L);

  @Test
  void aVersionIsMillisecondsThenACounterThenTheNode() {
    HybridClock clock = new HybridClock(0x1234_56AB, wall::get);

    assertThat(clock.next()).isEqualTo((1_700_000_000_000L << 21) | 0xAB);
    assertThat(clock.next()).isEqualTo((1_700_000_000_000L << 21) | 0x1AB);
    assertThat(HybridClock.millis(clock.last())).isEqualTo(1_700_000_000_000L);
    wall.addAndGet(1);
    assertThat(clock.next()).isEqualTo((1_700_000_000_001L << 21) | 0xAB);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void versionsGrowWhateverTheWallClockAndOtherNodesDo(long seed) {
    Random random = new Random(seed);
    HybridClock a = new HybridClock(1, wall::get);
    HybridClock b = new HybridClock(2, wall::get);
    Set<Long> seen = new HashSet<>();
    long last = 0;
    for (int i = 0; i < 50_000; i++) {
      wall.addAndGet(
          random.nextInt(50) == 0 ? random.nextInt(200_000) - 100_000 : random.nextInt(2));
      if (random.nextInt(10) == 0) {
        long other = b.next();
        seen.add(other);
        a.observe(other);
        last = Math.max(last, other);
      }
      long version = a.next();
      assertThat(version).isGreaterThan(last);
      assertThat(seen.add(version)).isTrue();
      last = version;
      if (random.nextInt(10) == 0) {
        b.observe(version);
      }
    }
  }

  @Test
  void moreVersionsThanTheCounterHoldsUseTheNextMillisecond() {
    HybridClock clock = new HybridClock(3, wall::get);
    for (int i = 0; i < 1 << 13; i++) {
      clock.next();
    }

    assertThat(clock.next()).isEqualTo((1_700_000_000_001L << 21) | 3);
  }

  @Test
  void aVersionCanBeGreaterThanThoseOfClocksSlightlyAhead() {
    HybridClock behind = new HybridClock(1, wall::get);
    HybridClock ahead = new HybridClock(2, () -> wall.get() + 9);
    long other = ahead.next();

    assertThat(behind.next()).isLessThan(other);
    assertThat(behind.next(10)).isGreaterThan(other);
    assertThat(behind.next()).isGreaterThan(other);
  }

  /** Each deletion of a client takes such a version. */
  @Test
  void manyOfTheseVersionsDoNotMoveItAway() {
    HybridClock clock = new HybridClock(1, wall::get);
    long before = clock.next(10);
    for (int i = 0; i < 60_000; i++) {
      wall.addAndGet(i % 5 == 0 ? 1 : 0);
      long version = clock.next(10);
      assertThat(version).isGreaterThan(before);
      assertThat(HybridClock.millis(version) - wall.get()).isBetween(10L, 11L);
      before = version;
    }
  }

  @Test
  void anOlderVersionOfAnotherNodeHasNoEffect() {
    HybridClock clock = new HybridClock(3, wall::get);
    long version = clock.next();
    clock.observe(version - 1_000_000);

    assertThat(clock.last()).isEqualTo(version);
  }

  @Test
  void threadsNeverGetTheSameVersion() {
    HybridClock clock = new HybridClock(3, wall::get);
    Set<Long> seen = ConcurrentHashMap.newKeySet();

    assertThat(IntStream.range(0, 100_000).parallel().filter(i -> !seen.add(clock.next())).count())
        .isZero();
  }
}
