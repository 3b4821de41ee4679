package dev.ebb.host.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentMedianTest {

  @Test
  void aDisturbanceDoesNotChangeIt() {
    RecentMedian median = new RecentMedian();
    assertThat(median.value()).isNaN();

    for (double sample : new double[] {40, 1e9, 42, 41}) {
      median.add(sample);
    }

    assertThat(median.value()).isEqualTo(41.5);
    median.add(1e9);
    assertThat(median.value()).isEqualTo(42);
  }

  @Test
  void onlyTheLatestSamplesCount() {
    RecentMedian median = new RecentMedian();
    for (int i = 0; i < 10_000; i++) {
      median.add(100);
    }
    for (int i = 0; i < 5_000; i++) {
      median.add(50);
    }

    assertThat(median.value()).isEqualTo(50);
  }
}
