package dev.ebb.host.admin.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.stats.Histogram;
import org.junit.jupiter.api.Test;

class RecentLatencyTest {

  private static Histogram of(int count, long nanos) {
    Histogram histogram = new Histogram();
    for (int i = 0; i < count; i++) {
      histogram.add(nanos);
    }
    return histogram;
  }

  @Test
  void countersThatBeginAgainAreTheInterval() {
    RecentLatency latency = new RecentLatency();
    latency.step(of(300, 50_000_000_000L));
    Histogram again = of(2, 1_000_000);
    latency.step(again);

    assertThat(latency.took(again).p50()).isBetween(0.000_9, 0.001_1);
    latency.step(again.plus(of(1, 4_000_000)));
    assertThat(latency.took(again).p99()).isBetween(0.003_9, 0.004_1);
  }
}
