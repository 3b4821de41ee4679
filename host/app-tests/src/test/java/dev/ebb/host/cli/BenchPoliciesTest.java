package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Policies by turns on a real server. */
class BenchPoliciesTest {

  @TempDir private Path home;

  @Test
  void eachHasItsTurnsAndTheOneBeforeIsPutBack() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      Run run = compare(ebb, "second,first", "--json", "--refill");

      assertThat(run.exitCode()).as(run.err()).isZero();
      JsonNode json = new ObjectMapper().readTree(run.out());
      assertThat(json.at("/policies").size()).isEqualTo(2);
      for (JsonNode policy : json.at("/policies")) {
        assertThat(policy.at("/hitRatios").size()).isEqualTo(5);
        assertThat(policy.at("/hitRatio").asDouble()).isBetween(0.01, 0.99);
        assertThat(policy.at("/requestsPerSecond").asDouble()).isPositive();
      }
      assertThat(json.at("/margin").asDouble()).isNotNegative();
      assertThat(active(ebb)).isEqualTo("first");
    }
  }

  @Test
  void settingsEndWithTheTurnsOfTheirPolicy() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      Run run = compare(ebb, "second(size=5),second", "--refill", "--rounds", "2");
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out()).contains("second(size=5)");
      assertThat(active(ebb)).isEqualTo("first");
      assertThat(ebb.run("config", "show").out()).doesNotContain("policies.second.size");

      Run wrong = compare(ebb, "second(size=99),first", "--refill", "--rounds", "2");
      assertThat(wrong.exitCode()).isEqualTo(1);
      assertThat(wrong.err()).contains("size", "99", "10");
      assertThat(active(ebb)).isEqualTo("first");
    }
  }

  @Test
  void theTableSaysWhetherItIsMoreThanChance() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      assertThat(compare(ebb, "first,second", "--refill").out())
          .startsWith("POLICY")
          .containsPattern("(?m)^(best: |no clear best: )(first|second)[ ,].* ± ");
    }
  }

  @Test
  void fewRoundsShowNoMarginAndSayWhy() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      String[] few = {"--refill", "--rounds", "2"};
      assertThat(compare(ebb, "first,second", few).out())
          .containsPattern("(?m)^(first|second) is ahead of .* points; .*--rounds 5")
          .doesNotContain("±", "best");
      String[] json = {"--refill", "--rounds", "2", "--json"};
      JsonNode document = new ObjectMapper().readTree(compare(ebb, "first,second", json).out());
      assertThat(document.at("/margin").isNull()).isTrue();
      assertThat(document.at("/moreThanNoise").booleanValue()).isFalse();
    }
  }

  @Test
  void anErrorPutsTheOneBeforeBackToo() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      Run run =
          Run.of("bench", "--port", "1", "--policies", "second,first", "--admin-url", ebb.url());
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err()).contains("cannot connect to '127.0.0.1:1'");
      assertThat(active(ebb)).isEqualTo("first");
    }
  }

  @Test
  void theConfiguredPolicyIsRestoredAndActiveRulesAreResumed() {
    try (RunningEbb ebb = withActiveRule()) {
      Run run = compare(ebb, "second,none", "--rounds", "2");

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.err()).containsOnlyOnce("pausing the policy rules");
      assertThat(policy(ebb).at("/configured").asString()).isEqualTo("first");
      assertThat(policy(ebb).at("/rulesPaused").asBoolean()).isFalse();
      awaitRule(ebb);
    }
  }

  @Test
  void rulesThatWerePausedBeforeStayPaused() {
    try (RunningEbb ebb = withActiveRule()) {
      ebb.run("policy", "rules", "pause");
      Run run = compare(ebb, "second,none", "--rounds", "2");

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.err()).doesNotContain("pausing");
      assertThat(policy(ebb).at("/configured").asString()).isEqualTo("first");
      assertThat(policy(ebb).at("/rulesPaused").asBoolean()).isTrue();
    }
  }

  @Test
  void aSignalRestoresThePolicyAndTheRulesToo() throws Exception {
    try (RunningEbb ebb = withActiveRule();
        EbbProcess bench =
            EbbProcess.start(home, Map.of(), arguments(ebb, "none,second", "--duration", "600"))) {
      bench.awaitOutput("pausing the policy rules");
      Awaiting.until(
          () -> !bench.isRunning() || "none".equals(policy(ebb).at("/configured").asString()));
      bench.terminate();

      assertThat(bench.exitCode()).as(bench.output()).isEqualTo(128 + 15);
      assertThat(policy(ebb).at("/configured").asString()).isEqualTo("first");
      assertThat(policy(ebb).at("/rulesPaused").asBoolean()).isFalse();
      awaitRule(ebb);
    }
  }

  private RunningEbb withActiveRule() {
    RunningEbb ebb =
        RunningEbb.start(
            home,
            """
            ebb.eviction.rules = [
              { name = used, when = occupancy, above = "20 %", clear-at = "1 %", sustained-for = 0 s, policy = second }
            ]
            """);
    for (int i = 0; i < 6; i++) {
      ebb.put("value-" + i, 100_000);
    }
    awaitRule(ebb);
    return ebb;
  }

  private static void awaitRule(RunningEbb ebb) {
    Awaiting.until(() -> "used".equals(policy(ebb).at("/rule").asString()));
  }

  private static JsonNode policy(RunningEbb ebb) {
    return new ObjectMapper().readTree(ebb.run("policy", "show", "--json").out());
  }

  @Test
  void whatCannotBeComparedIsRefused() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      assertThat(compare(ebb, "first,secnd").err()).contains("no policy named 'secnd'", "second");
      Run one = compare(ebb, "first");
      assertThat(one.exitCode()).isEqualTo(2);
      assertThat(one.err()).contains("--policies: 'first' must be two or more different policies");
      assertThat(Run.of("bench", "--policies", "first,second", "--rounds", "1").err())
          .contains("--rounds: '1' must be 2 to 31");
    }
  }

  /** Each turn ends after so many requests, so that it has answered GETs on a busy machine too. */
  private static Run compare(RunningEbb ebb, String policies, String... more) {
    String[] all = Arrays.copyOf(more, more.length + 2);
    all[more.length] = "--requests";
    all[more.length + 1] = "300";
    return Run.of(arguments(ebb, policies, all));
  }

  private static String[] arguments(RunningEbb ebb, String policies, String... more) {
    String[] first = {
      "bench",
      "--port",
      "" + ebb.port(),
      "--command",
      "get",
      "--keys",
      "100",
      "--warm-up",
      "0.1",
      "--admin-url",
      ebb.url(),
      "--policies",
      policies
    };
    String[] all = Arrays.copyOf(first, first.length + more.length);
    System.arraycopy(more, 0, all, first.length, more.length);
    return all;
  }

  private static String active(RunningEbb ebb) {
    return new ObjectMapper()
        .readTree(ebb.run("policy", "list", "--json").out())
        .at("/policy")
        .asString();
  }
}
