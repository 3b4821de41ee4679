package dev.ebb.host.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.stats.Histogram;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistogramTest {

  @ParameterizedTest(name = "up to {0}")
  @ValueSource(longs = {5, 100, 1_000_000_000L, Long.MAX_VALUE / 2})
  void quantilesAreRightToAnEighth(long bound) {
    Random random = new Random(bound);
    Histogram histogram = new Histogram();
    List<Long> all = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      long value = (long) (random.nextDouble() * random.nextDouble() * bound);
      histogram.add(value);
      all.add(value);
    }
    Collections.sort(all);
    for (double share : new double[] {0, 0.01, 0.5, 0.9, 0.99, 0.999, 1}) {
      long exact = all.get(Math.max(0, (int) Math.ceil(share * all.size()) - 1));
      long reported = histogram.quantile(share);
      assertThat(reported).isBetween(exact, Math.max(exact, exact + exact / 8));
    }
    long median = all.get(all.size() / 2);
    long upTo = all.stream().filter(value -> value <= median).count();
    assertThat(histogram.countUpTo(median)).isGreaterThanOrEqualTo(upTo);
    assertThat(histogram.countUpTo(Long.MAX_VALUE)).isEqualTo(all.size());
    assertThat(histogram.count()).isEqualTo(all.size());
    assertThat(histogram.max()).isEqualTo(all.getLast());
  }

  @Test
  void aCopyDoesNotChange() {
    Histogram histogram = new Histogram();
    histogram.add(3);
    Histogram copy = histogram.copy();
    histogram.add(9);

    assertThat(copy.count()).isEqualTo(1);
    assertThat(copy.max()).isEqualTo(3);
    assertThat(copy.sum()).isEqualTo(3);
    assertThat(new Histogram().quantile(0.5)).isZero();
  }

  @Test
  void histogramsAddUpAndTellWhatCameSince() {
    Histogram one = new Histogram();
    one.add(5);
    Histogram earlier = one.copy();
    one.add(1_000);
    one.add(2_000);

    Histogram since = one.since(earlier);
    assertThat(since.count()).isEqualTo(2);
    assertThat(since.sum()).isEqualTo(3_000);
    assertThat(since.countUpTo(10)).isZero();
    Histogram both = since.plus(earlier);
    assertThat(both.count()).isEqualTo(3);
    assertThat(both.quantile(0.3)).isEqualTo(5);
    assertThat(both.max()).isEqualTo(2_000);
  }
}
