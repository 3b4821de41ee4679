package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code ebb policy rules}, and how other commands show a rule. */
class RulesCommandsTest {

  private static final String RULES =
      """
      ebb.eviction.rules = [
        { name = busy, when = model-share, of = llama, above = "60 %", clear-at = "40 %", policy = second }
        { name = full, when = occupancy, above = "50 %", clear-at = "10 %", sustained-for = 0 s, min-hold = 2 m, policy = second }
      ]
      """;

  @TempDir private Path home;

  @Test
  void withoutRulesTheListSaysWhereToWriteThem() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      assertThat(ebb.run("policy", "rules", "list").out())
          .isEqualToIgnoringNewLines("no rule is configured; add rules under ebb.eviction.rules");
    }
  }

  @Test
  void theActiveRuleIsNamedWhereverThePolicyIs() {
    try (RunningEbb ebb = RunningEbb.start(home, RULES)) {
      assertThat(ebb.run("policy", "rules", "list").out())
          .endsWith("no rule holds; first is active\n");
      for (int i = 0; i < 12; i++) {
        ebb.put("key-" + i, 100_000);
      }
      await(ebb, "activated second");

      assertThat(ebb.run("policy", "rules", "list").out())
          .isEqualToNormalizingNewlines(
              """
                 RULE  WHEN                                  NOW  CLEAR AT  SUSTAINED FOR  MIN HOLD  POLICY  SWITCHES
                 busy  model-share of llama above 60.0 %       -    40.0 %           10 s     1 min  second         0
              *  full  occupancy above 50.0 %             75.0 %    10.0 %            0 s     2 min  second         1
              * activated second; the configured policy is first
              """);
      assertThat(ebb.run("policy", "show").out())
          .startsWith("second, of acme 1.2.3, active by rule full\n");
      assertThat(ebb.run("policy", "list").out())
          .endsWith("rule full has activated second; the configured policy is first\n");
      assertThat(ebb.run("stats").out())
          .containsPattern("(?m)^policy +second by rule full, in place of first$");
      assertThat(ebb.run("plugins", "history").out())
          .contains("(rule: full: occupancy 75.0 %, above 50.0 %)");

      String paused = "the rules are paused; 'ebb policy rules resume' resumes them";
      assertThat(ebb.run("policy", "set", "first").out())
          .isEqualToNormalizingNewlines(
              "'first' is active; the previous policy was 'second'\n" + paused + "\n");
      assertThat(ebb.run("policy", "rules", "list").out())
          .endsWith("first is active; " + paused + "\n");
      ebb.run("policy", "rules", "resume");
      await(ebb, "activated second");

      assertThat(ebb.run("config", "set", "ebb.eviction.policy=none", "--dry-run").out())
          .endsWith(
              "not changed: this was a dry run\nthe rules would pause until 'ebb policy rules resume'\n");
      assertThat(ebb.run("config", "set", "ebb.eviction.ttl=9 m").out()).endsWith("\nchanged\n");
      assertThat(ebb.run("config", "set", "ebb.eviction.policy=first").out())
          .isEqualToNormalizingNewlines(
              "nothing changes: the values are active already\n'first' is active; "
                  + paused
                  + "\n");
      assertThat(ebb.run("policy", "rules", "resume").out())
          .contains("first is active")
          .doesNotContain("paused");
      await(ebb, "activated second");
      assertThat(ebb.run("policy", "rules", "pause").out())
          .endsWith("first is active; " + paused + "\n");

      assertThat(ebb.run("config", "set", "ebb.eviction.rules=[]").exitCode()).isZero();
      assertThat(ebb.run("policy", "rules", "list").out()).startsWith("no rule is configured");
      assertThat(ebb.run("config", "set", "ebb.eviction.rules=[{").err())
          .contains("'[{' is not valid HOCON");
    }
  }

  @Test
  void aRuleThatIsNotActiveYetSaysWhatItWaitsFor() {
    String rules =
        """
        ebb.eviction.rules = [
          { name = slow, when = occupancy, above = "50 %", clear-at = "10 %", sustained-for = 1 h, policy = second }
        ]
        """;
    try (RunningEbb ebb = RunningEbb.start(home, rules)) {
      for (int i = 0; i < 12; i++) {
        ebb.put("key-" + i, 100_000);
      }
      await(ebb, "slow: above its bound for ");
      assertThat(ebb.run("policy", "rules", "list").out())
          .containsPattern(
              "(?m)^slow: above its bound for \\d+ s, holds after (1 h|59 min \\d+ s) more$")
          .endsWith("\nfirst is active\n");
    }
  }

  @Test
  void aRuleMayWatchAPartOfThePoolWhichTheStatisticsShowToo() {
    String settings =
        """
        ebb.tenants.ann.quota = 1 MiB
        ebb.eviction.rules = [
          { name = ann, when = occupancy, of = "tenant:ann", above = "50 %", clear-at = "10 %", sustained-for = 0 s, policy = second }
        ]
        """;
    try (RunningEbb ebb = RunningEbb.start(home, settings)) {
      assertThat(ebb.run("policy", "rules", "list").out())
          .contains("occupancy of tenant:ann above 50.0 %");
      for (int i = 0; i < 10; i++) {
        ebb.put("llama@1@0@%02x@ann".formatted(i), 60_000);
      }
      await(ebb, "activated second");

      assertThat(ebb.run("stats").out())
          .containsPattern("(?m)^part +\\[\\.{30}\\] default: 0 B of 1 MiB, 0.0 %, 0 keys$")
          .containsPattern(
              "(?m)^part +\\[#{19}\\.{11}\\] tenant:ann: 640 KiB of 1 MiB, 62.5 %, 10 keys$");
    }
  }

  private static void await(RunningEbb ebb, String text) {
    Instant end = Instant.now().plus(Duration.ofMinutes(2));
    String out = ebb.run("policy", "rules", "list").out();
    while (!out.contains(text)) {
      assertThat(Instant.now()).as(out).isBefore(end);
      out = ebb.run("policy", "rules", "list").out();
    }
  }
}
