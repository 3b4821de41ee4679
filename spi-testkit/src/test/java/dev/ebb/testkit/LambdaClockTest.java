package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.PreemptionPolicyProvider;
import org.junit.jupiter.api.Test;

/** A lambda's class has no code of its own, so the class around it is searched. */
class LambdaClockTest {

  private static final class ReadsClock implements PreemptionPolicyProvider {

    @Override
    public String name() {
      return "reads-clock";
    }

    @Override
    public PreemptionPolicy create(PolicyContext context) {
      return (first, second) -> {
        long now = System.nanoTime();
        return Long.signum(now - System.nanoTime());
      };
    }
  }

  @Test
  void aLambdaThatReadsTheClockIsFound() {
    assertThat(
            PreemptionPolicyChecks.of(new ReadsClock(), CheckSettings.defaults()).stream()
                .map(Check::run)
                .filter(outcome -> !outcome.passed())
                .map(Outcome::broken))
        .contains(Rule.CLOCK);
  }
}
