package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.PreemptionPolicyProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OldestFirstContractTest extends PreemptionPolicyContract {

  private record Provider(PreemptionPolicy policy) implements PreemptionPolicyProvider {

    @Override
    public String name() {
      return "oldest-first";
    }

    @Override
    public PreemptionPolicy create(PolicyContext context) {
      return policy;
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

  private static Stream<Outcome> failed(PreemptionPolicyProvider provider) {
    return PreemptionPolicyChecks.of(provider, CheckSettings.defaults()).stream()
        .map(Check::run)
        .filter(outcome -> !outcome.passed());
  }

  @Test
  @SuppressWarnings("UnnecessaryMethodReference")
  void onlyAnInstanceWithFieldsMustBeNew() {
    PreemptionPolicy captures = new Provider((first, second) -> 0).policy()::compare;

    assertThat(failed(new Provider((first, second) -> 0))).isEmpty();
    assertThat(failed(new Provider(captures)))
        .extracting(Outcome::broken)
        .containsExactly(Rule.CREATION);
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
