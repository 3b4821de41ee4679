package dev.ebb.host.replay.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class LogHistogramTest {

  @Test
  void aStepHasAllNumbersFromItsLowestToTheNext() {
    for (int step = 0; step < 124; step++) {
      long low = LogHistogram.lowest(step);
      long end = LogHistogram.lowest(step + 1);

      assertThat(end).isGreaterThan(low);
      assertThat(LogHistogram.step(low)).isEqualTo(step);
      assertThat(LogHistogram.step(end - 1)).isEqualTo(step);
    }
    assertThat(LogHistogram.step(Long.MAX_VALUE)).isEqualTo(125);
  }

  @Test
  void drawsNumbersNearThoseThatWereAdded() {
    Random random = new Random(1);
    for (int i = 0; i < 2_000; i++) {
      long value = random.nextLong(Long.MAX_VALUE / 2) >> random.nextInt(63);
      LogHistogram histogram = new LogHistogram();
      histogram.add(value);

      assertThat(histogram.draw(random)).isBetween(value - value / 8, value + value / 8);
      assertThat(LogHistogram.step(histogram.draw(random, LogHistogram.step(value))))
          .isEqualTo(LogHistogram.step(value));
      assertThat(histogram.quantile(0.5)).isBetween(value - value / 8.0, value + value / 8.0);
      assertThat(histogram.bins())
          .hasSize(1)
          .first()
          .satisfies(bin -> {
            assertThat(bin[0]).isBetween(value - value / 8, value);
            assertThat(bin[1]).isEqualTo(1);
          });
    }
  }

  @Test
  void quantilesOfSmallNumbersAreExact() {
    LogHistogram histogram = new LogHistogram();
    for (int i = 1; i <= 10; i++) {
      histogram.add(i);
    }

    assertThat(histogram.quantile(0)).isEqualTo(1);
    assertThat(histogram.quantile(0.5)).isEqualTo(5);
    assertThat(histogram.quantile(1)).isEqualTo(10);
    assertThat(histogram.mean()).isEqualTo(5.5);
    assertThat(new LogHistogram().quantile(0.5)).isNaN();
  }
}
