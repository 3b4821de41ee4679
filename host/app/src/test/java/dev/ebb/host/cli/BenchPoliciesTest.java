package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
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

  private static Run compare(RunningEbb ebb, String policies, String... more) {
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
      "--duration",
      "2",
      "--admin-url",
      ebb.url(),
      "--policies",
      policies
    };
    String[] all = Arrays.copyOf(first, first.length + more.length);
    System.arraycopy(more, 0, all, first.length, more.length);
    return Run.of(all);
  }

  private static String active(RunningEbb ebb) {
    return new ObjectMapper()
        .readTree(ebb.run("policy", "list", "--json").out())
        .at("/policy")
        .asString();
  }
}
