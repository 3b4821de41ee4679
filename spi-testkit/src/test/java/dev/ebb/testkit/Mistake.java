package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DynamicTest;

/**
 * A broken policy, the rule it breaks and the check that must notice.
 *
 * @param what what is wrong with it
 * @param rule the only rule it breaks
 * @param check how the name of a check starts that must fail
 * @param provider makes it
 */
record Mistake(String what, Rule rule, String check, BlockPolicyProvider provider) {

  static final CheckSettings SETTINGS = CheckSettings.defaults().withHistories(2).withRequests(400);

  static Mistake of(String what, Rule rule, String check, Supplier<BlockPolicy<?>> policy) {
    return new Mistake(
        what, rule, check, BlockPolicyProvider.of("broken", context -> policy.get()));
  }

  DynamicTest isCaught() {
    return isCaught(SETTINGS);
  }

  /** The check fails, and whatever else fails breaks the same rule. */
  DynamicTest isCaught(CheckSettings settings) {
    return DynamicTest.dynamicTest(
        what,
        () -> {
          List<Outcome> failures = failures(settings);
          assertThat(failures).extracting(Outcome::broken).containsOnly(rule);
          assertThat(failures).anyMatch(outcome -> outcome.check().startsWith(check));
          assertThat(failures)
              .allSatisfy(outcome ->
                  assertThat(outcome.message())
                      .contains(rule.text(), "repeat with seed " + outcome.seed()));
        });
  }

  /** The check fails by the rule; instances that meet break other rules, too. */
  DynamicTest isCaughtAmongOthers() {
    return DynamicTest.dynamicTest(
        what,
        () ->
            assertThat(failures(SETTINGS))
                .anyMatch(
                    outcome -> outcome.check().startsWith(check) && outcome.broken() == rule));
  }

  private List<Outcome> failures(CheckSettings settings) {
    return BlockPolicyChecks.of(provider, settings).stream()
        .map(Check::run)
        .filter(outcome -> !outcome.passed())
        .toList();
  }
}
