package dev.ebb.host.config.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.key.Choice;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleReaderTest {

  @TempDir private Path home;

  private List<RuleConfig> rules(String text) {
    return Configs.of(home, "ebb.eviction.rules = " + text).orThrow().eviction().rules();
  }

  private static String condition(RuleConfig rule) {
    String side = rule.above() ? "above" : "below";
    return "%s %s %s".formatted(rule.subject(), side, rule.when().text(rule.bound()));
  }

  @Test
  void thereAreNoneUnlessSomeAreWritten() {
    assertThat(Configs.defaults(home).orThrow().eviction().rules()).isEmpty();
    assertThat(rules("[]")).isEmpty();
  }

  @Test
  void rulesAreReadInOrderWithTheirUnits() {
    List<RuleConfig> rules =
        rules(
            """
            [
              { name = tight, when = occupancy, above = "96 %", clear-at = "92 %", policy = arc },
              { name = churn, when = turnover, below = 2 m, clear-at = 5 m, sustained-for = 0 s, min-hold = 10 m, policy = sieve },
              { name = poor, when = available-memory, below = 1 GiB, clear-at = 2 GiB, policy = fifo },
              { name = chat, when = model-share, of = "org/llama@3", above = "50 %", clear-at = "0 %", policy = none },
            ]
            """);

    assertThat(rules)
        .extracting(RuleConfig::name)
        .containsExactly("tight", "churn", "poor", "chat");
    assertThat(rules).extracting(RuleConfig::above).containsExactly(true, false, false, true);
    assertThat(rules.getFirst())
        .isEqualTo(
            new RuleConfig(
                "tight",
                RuleSignal.OCCUPANCY,
                null,
                0.96,
                0.92,
                Duration.ofSeconds(10),
                Duration.ofMinutes(1),
                new Choice("arc", home.resolve("ebb.conf") + ":2")));
    assertThat(rules.get(1).bound()).isEqualTo(120);
    assertThat(rules.get(1).sustainedFor()).isZero();
    assertThat(rules.get(1).minHold()).isEqualTo(Duration.ofMinutes(10));
    assertThat(rules.get(2).clearAt()).isEqualTo(2L << 30);
    assertThat(rules)
        .extracting(RuleReaderTest::condition)
        .containsExactly(
            "occupancy above 96.0 %",
            "turnover below 2 min",
            "available-memory below 1 GiB",
            "model-share of org/llama@3 above 50.0 %");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "5 | = '5' must be a list of rules, such as [{ name = tight, when = occupancy, above",
        "[5] | rules[1] = '5' must be a rule, such as { name = tight",
        "[{}] | rules[1] = '{...}' needs name = tight",
        "[{}] | rules[1] = '{...}' needs when = occupancy",
        "[{}] | rules[1] = '{...}' needs policy = lru",
        "[{ name = Tight }] | rules[1].name = 'Tight' must be lower-case letters, digits and inner"
            + " dashes",
        "[{ when = occupance }] | rules[1].when = 'occupance' must be one of [occupancy, turnover,"
            + " premature-evictions, prefix-hits, available-memory, queue-depth, model-share,"
            + " tenant-share] (did you mean 'occupancy'?)",
        "[{ when = occupancy }] | rules[1] = '{...}' needs above or below",
        "[{ when = occupancy, above = \"9 %\", below = \"8 %\" }] | rules[1].below = '8 %'"
            + " conflicts with above = '9 %'; use one of them",
        "[{ when = occupancy, above = \"9 %\" }] | rules[1] = '{...}' needs clear-at = ..., on the"
            + " other side of above",
        "[{ when = occupancy, above = 0.96, clear-at = \"9 %\" }] | rules[1].above = '0.96' must be"
            + " a share from 0 % to 100 %",
        "[{ when = occupancy, above = \"9 %\", clear-at = \"9 %\" }] | rules[1].clear-at = '9 %'"
            + " must be less than above, 9.0 %",
        "[{ when = turnover, below = 2 m, clear-at = 1 m }] | rules[1].clear-at = '1 m' must be"
            + " more than below, 2 min",
        "[{ when = turnover, below = 2, clear-at = 3 m }] | rules[1].below = '2' must be a duration"
            + " with its unit",
        "[{ when = available-memory, below = \"5 %\" }] | rules[1].below = '5 %' must be a size"
            + " with its unit",
        "[{ when = model-share, above = \"9 %\" }] | rules[1] = '{...}' needs of = llama-3, whose"
            + " share it is",
        "[{ when = model-share, of = \"\", above = \"9 %\" }] | rules[1].of = '' must be a name"
            + " that 'ebb stats --json' lists",
        "[{ when = tenant-share, of = \" \", above = \"9 %\" }] | rules[1].of = ' ' must be a name"
            + " that 'ebb stats --json' lists",
        "[{ when = model-share, of = [a], above = \"9 %\" }] | rules[1].of = '[\"a\"]' must be a"
            + " text",
        "[{ when = premature-evictions, of = ann, above = \"9 %\" }] | rules[1].of = 'ann' applies"
            + " to model-share, tenant-share and occupancy only; leave it out",
        "[{ when = occupancy, of = ann, above = \"9 %\" }] | rules[1].of = 'ann' must be a part of"
            + " the pool, one of [default]; each tenant with a quota has one",
        "[{ sustained-for = 5 }] | rules[1].sustained-for = '5' must be a duration with its unit",
        "[{ min-hold = soon }] | rules[1].min-hold = 'soon' must be a duration with its unit",
        "[{ polcy = lru }] | unknown key 'polcy' (did you mean 'policy'?) in ebb.eviction.rules[1];"
            + " allowed: [above, below, clear-at, min-hold, name, of, policy, sustained-for, when]",
      })
  void aMistakeIsReportedWithItsPlace(String text, String message) {
    assertThat(Configs.of(home, "\nebb.eviction.rules = " + text).problems())
        .anySatisfy(problem ->
            assertThat(problem).startsWith(home.resolve("ebb.conf") + ":2: ").contains(message));
  }

  @Test
  void occupancyMayBeOfAPartOfThePool() {
    String quotas = "ebb.tenants { ann.quota = 1 GiB, \"b c\".quota = 1 GiB }\n";
    String rule =
        "ebb.eviction.rules = [{ name = a, when = occupancy, of = \"%s\", above = \"9 %%\","
            + " clear-at = \"8 %%\", policy = lru }]";
    for (String part : List.of("default", "tenant:ann", "tenant:b c")) {
      assertThat(Configs.of(home, quotas + rule.formatted(part)).orThrow().eviction().rules())
          .extracting(RuleReaderTest::condition)
          .containsExactly("occupancy of " + part + " above 9.0 %");
    }
    assertThat(Configs.of(home, quotas + rule.formatted("tenant:an")).problems())
        .containsExactly(
            home.resolve("ebb.conf")
                + ":2: ebb.eviction.rules[1].of = 'tenant:an' must be a part of the pool, one of"
                + " [default, tenant:ann, tenant:b c]; each tenant with a quota has one (did you"
                + " mean 'tenant:ann'?)");
  }

  @Test
  void allMistakesAreReportedTogetherAndAGoodRuleAmongThemIsRead() {
    String good =
        "{ name = a, when = premature-evictions, above = \"9 %\", clear-at = \"8 %\", policy = lru"
            + " }";
    LoadedConfig loaded =
        Configs.of(
            home,
            "ebb.eviction.rules = [{ name = b, min-hold = 1 }, %s, %s]".formatted(good, good));

    assertThat(loaded.config().eviction().rules())
        .extracting(RuleConfig::name)
        .containsExactly("a");
    assertThat(loaded.problems())
        .hasSize(4)
        .last()
        .asString()
        .contains("rules[3] = '{...}' is a second rule named 'a'");
  }
}
