package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.PreemptionPolicyProvider;
import org.junit.jupiter.api.Test;

class OldestFirstContractTest extends PreemptionPolicyContract {

  private record Provider(PreemptionPolicy policy) implements PreemptionPolicyProvider {

    @Override
    public String name() {
      return "oldest-first";
    }

    @Override
    public PreemptionPolicy create(PolicyContext context) {
      // A lambda without state would be the same object each time.
      return policy::compare;
    }
  }

  @Override
  protected PreemptionPolicyProvider provider() {
    return new Provider((first, second) -> Long.compare(first.admission(), second.admission()));
  }

  private static Outcome order(PreemptionPolicy policy) {
    return PreemptionPolicyChecks.of(new Provider(policy), CheckSettings.defaults())
        .getLast()
        .run();
  }

  @Test
  void anInconsistentOrderIsFound() {
    assertThat(order((first, second) -> -1).passed()).isFalse();
    assertThat(
            order((first, second) -> Math.floorMod(first.admission() - second.admission(), 3) - 1)
                .passed())
        .isFalse();
    assertThat(order((first, second) -> 0).passed()).isTrue();
  }
}
