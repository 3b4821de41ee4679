package dev.ebb.plugin.classic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.sim.SimEntry;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrequencySketchTest {

  @Test
  void countsUpTo15AndHalves() {
    FrequencySketch sketch = new FrequencySketch();
    for (int i = 0; i < 20; i++) {
      sketch.increment(SimEntry.fingerprint(1));
    }
    assertThat(sketch.frequency(SimEntry.fingerprint(1))).isEqualTo(15);
    assertThat(sketch.frequency(SimEntry.fingerprint(2))).isZero();
    sketch.halve();
    assertThat(sketch.frequency(SimEntry.fingerprint(1))).isEqualTo(7);
  }

  @Test
  void neverCountsTooFewAndSeldomTooMany() {
    FrequencySketch sketch = new FrequencySketch();
    sketch.ensure(10_000);
    Map<Integer, Integer> exact = new HashMap<>();
    Random random = new Random(1);
    for (int i = 0; i < 50_000; i++) {
      int id = Math.min(random.nextInt(10_000), random.nextInt(10_000));
      sketch.increment(SimEntry.fingerprint(id));
      exact.merge(id, 1, (a, b) -> Math.min(15, a + b));
    }
    int wrong = 0;
    for (Map.Entry<Integer, Integer> each : exact.entrySet()) {
      int frequency = sketch.frequency(SimEntry.fingerprint(each.getKey()));
      assertThat(frequency).isGreaterThanOrEqualTo(each.getValue());
      wrong += frequency == each.getValue() ? 0 : 1;
    }
    assertThat(wrong).isLessThan(exact.size() / 50);
  }

  @Test
  void keepsItsEstimatesWhenItGrows() {
    FrequencySketch sketch = new FrequencySketch();
    for (int id = 0; id < 500; id++) {
      for (int i = 0; i <= id % 16; i++) {
        sketch.increment(SimEntry.fingerprint(id));
      }
    }
    int[] before = estimates(sketch);
    sketch.ensure(100_000);
    assertThat(estimates(sketch)).containsExactly(before);
  }

  private static int[] estimates(FrequencySketch sketch) {
    int[] estimates = new int[500];
    for (int id = 0; id < 500; id++) {
      estimates[id] = sketch.frequency(SimEntry.fingerprint(id));
    }
    return estimates;
  }
}
