package dev.ebb.plugin.classic;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.ebb.spi.sim.ObjectModel;
import dev.ebb.spi.sim.SimContext;
import dev.ebb.spi.sim.SimRequest;
import dev.ebb.spi.sim.Trace;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** W-TinyLFU beside Caffeine on the same keys. */
class CaffeineTest {

  private static final int USES = 400_000;

  private final Random random = new Random(1);

  @ParameterizedTest
  @CsvSource({"500, 0.01", "2000, 0.01", "5000, 0.01"})
  void missesNoMoreOnPopularKeys(int capacity, double tolerance) {
    int[] keys = IntStream.range(0, USES).map(i -> popular()).toArray();
    agrees(keys, capacity, tolerance);
  }

  @ParameterizedTest
  @CsvSource({"500, 0.01", "2000, 0.01", "5000, 0.02"})
  void missesNoMoreOnRecentKeys(int capacity, double tolerance) {
    int[] keys = new int[USES];
    int next = 0;
    for (int i = 0; i < USES; i++) {
      double ago = -Math.log(random.nextDouble()) * 1_500;
      keys[i] = random.nextInt(3) == 0 ? next++ : Math.max(0, next - 1 - (int) ago);
    }
    agrees(keys, capacity, tolerance);
  }

  @ParameterizedTest
  @CsvSource({"500, 0.01", "2000, 0.01", "5000, 0.01"})
  void missesNoMoreIfScansComeBetweenPopularKeys(int capacity, double tolerance) {
    int[] keys =
        IntStream.range(0, USES).map(i -> i % 20_000 < 15_000 ? popular() : 100_000 + i).toArray();
    agrees(keys, capacity, tolerance);
  }

  /** Nearly Zipf's law, of 50,000 keys. */
  private int popular() {
    return (int) Math.pow(50_000, random.nextDouble());
  }

  /** Expects at most so many misses more for a use, and a quarter fewer. */
  private static void agrees(int[] keys, int capacity, double tolerance) {
    Trace trace =
        new Trace(
            Arrays.stream(keys).mapToObj(key -> new SimRequest(key)).toList(),
            1 + Arrays.stream(keys).max().orElseThrow());
    double misses =
        (double)
            ObjectModel.misses(
                ClassicPolicies.TINY_LFU.create(new SimContext(capacity)), trace, capacity);
    double expected = caffeineMisses(keys, capacity);
    assertThat(misses / keys.length)
        .isBetween(0.75 * expected / keys.length, expected / keys.length + tolerance);
  }

  private static double caffeineMisses(int[] keys, int capacity) {
    Cache<Integer, Boolean> cache =
        Caffeine.newBuilder().maximumSize(capacity).executor(Runnable::run).build();
    int misses = 0;
    for (int key : keys) {
      if (cache.getIfPresent(key) == null) {
        cache.put(key, true);
        misses++;
      }
    }
    return misses;
  }
}
