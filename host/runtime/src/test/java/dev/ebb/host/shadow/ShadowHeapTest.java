package dev.ebb.host.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.ShadowSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShadowHeapTest {

  private static final List<ShadowSpec> POLICIES = ShadowSpec.parseList("sieve, lru@8x", "test");

  @Test
  void policiesThatFitAreNotWarnedOf() {
    assertThat(ShadowHeap.warning(POLICIES, 0, 256L << 20)).isNull();
    assertThat(ShadowHeap.warning(List.of(), 0, 1 << 20)).isNull();
  }

  @Test
  void theNeedGrowsWithTheMemoryOfTheSimulatedCaches() {
    assertThat(ShadowHeap.warning(POLICIES, 0, 96L << 20))
        .contains("ebb.shadow.policies", "31.3 MiB", "96 MiB", "-Xmx1g");
  }

  @Test
  void nothingIsKnownOfAConfiguredRate() {
    assertThat(ShadowHeap.warning(POLICIES, 1, 1 << 20)).isNull();
  }
}
