package dev.ebb.host.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.shadow.MemoryCurve.Tenant;
import dev.ebb.host.testing.Awaiting;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The memory curve beside a live cache. */
class MemoryCurvesTest {

  private static final int CAPACITY = 400;
  private static final int OBJECTS = 2_000;
  private static final RequestFacts OFTEN = RequestFacts.of("often", null);
  private static final RequestFacts RARE = RequestFacts.of("rare", null);

  private final Random random = new Random(1);
  private final ObjectSite site = new ObjectSite(CAPACITY);
  private final MemoryCurve curve =
      new MemoryCurve(
          site,
          (policy, partition, capacity, clock) -> new PolicyCandidate(policy, new BuiltInLru()),
          7);

  @AfterEach
  void close() {
    curve.close();
    site.close();
  }

  private void traffic(int objects) {
    for (int i = 0; i < 500; i++) {
      // Every fourth request is of a tenant that hits less often.
      double skew = i % 4 == 0 ? 1 : 3;
      long object = 1 + (long) (Math.pow(random.nextDouble(), skew) * objects);
      site.use(object * 0x9E3779B97F4A7C15L, i % 4 == 0 ? RARE : OFTEN);
    }
    curve.second();
  }

  private int tenantPoints() {
    return curve.report().tenants().stream().mapToInt(each -> each.points().size()).sum();
  }

  @Test
  void aPoolThatNeverEvictsIsNotMeasured() {
    curve.enable(true, 1);
    for (int i = 0; i < 20; i++) {
      traffic(CAPACITY / 2);
    }
    assertThat(curve.report().rate()).isZero();
  }

  @Test
  void eachSizeIsMeasuredFromTheFirstEvictionOnUntilItIsDisabled() {
    curve.enable(true, 1);
    Awaiting.until(() -> {
      traffic(OBJECTS);
      return curve.report().tenants().size() == 2 && tenantPoints() == 10;
    });
    MemoryCurve.Report report = curve.report();
    assertThat(report.policy()).isEqualTo(BuiltInLru.NAME);
    assertThat(report.points())
        .extracting(MemoryCurve.Point::factor)
        .containsExactly(0.25, 0.5, 1.0, 2.0, 4.0);
    // More memory is never worse for LRU, and a sample of all keys has no interval.
    assertThat(report.points()).extracting(MemoryCurve.Point::hitRatio).isSorted();
    assertThat(report.points())
        .allSatisfy(each -> assertThat(each.high() - each.low()).isCloseTo(0, within(0.02)));

    assertThat(report.tenants()).extracting(Tenant::name).containsExactly("often", "rare");
    assertThat(report.tenants()).allSatisfy(each -> assertThat(each.points()).hasSize(5));
    for (int i = 0; i < report.points().size(); i++) {
      double all = report.points().get(i).hitRatio();
      assertThat(report.tenants().get(0).points().get(i).hitRatio()).isGreaterThan(all);
      assertThat(report.tenants().get(1).points().get(i).hitRatio()).isLessThan(all);
    }

    curve.enable(false, 1);
    traffic(OBJECTS);
    assertThat(curve.report().rate()).isZero();
    assertThat(curve.report().points()).isEmpty();
  }
}
