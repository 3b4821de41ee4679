package dev.ebb.testkit;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;

/** Turns checks into JUnit tests, in their order. */
final class DynamicChecks {

  private DynamicChecks() {}

  /** Returns the tests. Checks that add nothing after a failure are skipped, with the reason. */
  static Stream<DynamicTest> of(List<Check> checks) {
    AtomicReference<@Nullable String> ended = new AtomicReference<>();
    return checks.stream()
        .map(check -> DynamicTest.dynamicTest(check.name(), () -> run(check, ended)));
  }

  private static void run(Check check, AtomicReference<@Nullable String> ended) {
    String why = ended.get();
    if (why != null) {
      Assumptions.abort("not run: " + why);
    }
    Outcome outcome = check.run();
    ended.set(outcome.endsTheRun().orElse(null));
    outcome.orThrow();
  }
}
