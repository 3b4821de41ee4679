package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.testkit.ModelHost.Kind;
import org.junit.jupiter.api.Test;

/** The model host itself keeps the promises that hosts make to policies. */
class ModelHostTest {

  @Test
  void paysEachRefusalWithOnePinOrOneChild() {
    for (Kind kind : Kind.values()) {
      for (int capacity : new int[] {1, 8, 100}) {
        ModelCache cache = play(kind, capacity, capacity);
        assertThat(cache.refusals())
            .as("%s, capacity and seed %d", kind, capacity)
            .isLessThanOrEqualTo(cache.pins() + cache.insertions());
      }
    }
  }

  @Test
  void makesBothEvictionsAndRefusalsHappen() {
    ModelCache cache = play(Kind.PROMPTS, 32, 1);
    assertThat(cache.evictions()).isGreaterThan(1_000);
    assertThat(cache.refusals()).isGreaterThan(100);
  }

  @Test
  void evictsObjectsOfChunksAlone() {
    assertThat(play(Kind.CHUNKS, 32, 1).thinned()).isGreaterThan(100);
    assertThat(play(Kind.PROMPTS, 32, 1).thinned()).isZero();
  }

  @Test
  void playsTheSameHistoryAgain() {
    assertThat(play(Kind.OBJECTS, 8, 3).answers())
        .isNotEmpty()
        .isEqualTo(play(Kind.OBJECTS, 8, 3).answers())
        .isNotEqualTo(play(Kind.OBJECTS, 8, 4).answers());
  }

  private static ModelCache play(Kind kind, int capacity, long seed) {
    ModelHost host =
        new ModelHost(kind, capacity, new FifoProvider(), CheckSettings.defaults(), seed);
    for (int i = 0; i < 500; i++) {
      host.step();
    }
    host.finish();
    return host.cache();
  }
}
