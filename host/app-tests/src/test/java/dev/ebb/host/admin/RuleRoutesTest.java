package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admin.AdminProcess.Answer;
import dev.ebb.host.admin.policy.ConfigDocument;
import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.policy.RulesDocument;
import dev.ebb.host.admin.policy.SwapDocument;
import dev.ebb.host.admin.stats.StatsDocument;
import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FailsWhenActive;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Rules in a process that serves, by traffic. */
class RuleRoutesTest {

  private static final String CHAT =
      """
      ebb.eviction.rules = [
        { name = chat, when = model-share, of = chat, above = "60 %", clear-at = "40 %", sustained-for = 0 s, min-hold = 0 s, policy = second }
      ]
      """;

  private static final String FULL =
      """
      ebb.eviction.rules = [
        { name = full, when = occupancy, above = "50 %%", clear-at = "40 %%", sustained-for = 0 s, min-hold = 0 s, policy = %s }
      ]
      """;

  /** The rules are evaluated once a second. */
  private static final int PAUSE_MILLIS = 100;

  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  @TempDir private Path home;

  @Test
  void theModelThatIsAskedForChoosesThePolicyAndItsEndGivesItBack() {
    try (AdminProcess process = AdminProcess.start(home, CHAT)) {
      JsonNode rules = process.get("/api/v1/policy/rules").json();
      assertThat(rules.at("/active").isNull()).isTrue();
      assertThat(rules.at("/rules/0").toString())
          .isEqualTo(
              "{\"name\":\"chat\",\"when\":\"model-share\",\"of\":\"chat\",\"above\":0.6,\"below\":null,\"clearAt\":0.4,"
                  + "\"sustainedForSeconds\":0.0,\"minHoldSeconds\":0.0,\"policy\":\"second\",\"now\":null,\"holds\":false,\"beyondSeconds\":null,"
                  + "\"active\":false,\"refusal\":null,\"switches\":0}");

      await(process, () -> ask(process, "chat"), active("second", "chat"));
      PolicyDocument policy = policy(process);
      assertThat(policy.configured()).isEqualTo("first");
      SwapDocument entry = history(process).history().get(1);
      assertThat(entry.cause()).isEqualTo("rule");
      assertThat(entry.detail()).matches("chat: model-share of chat [\\d.]+ %, above 60.0 %");
      assertThat(process.get("/metrics").body())
          .contains("ebb_policy_rule_active{rule=\"chat\"} 1")
          .contains("ebb_policy_rule_switches_total{rule=\"chat\"} 1");

      await(process, () -> ask(process, "other"), active("first", ""));
      assertThat(history(process).history().get(2).detail())
          .matches("chat is over: model-share of chat [\\d.]+ %, until 40.0 %");
      assertThat(process.get("/metrics").body())
          .contains("ebb_policy_rule_active{rule=\"chat\"} 0");
    }
  }

  @Test
  void anOperatorsChoicePausesTheRulesAndIsReported() {
    try (AdminProcess process = AdminProcess.start(home, FULL.formatted("second"))) {
      fill(process);
      await(process, () -> {}, active("second", "full"));

      JsonNode changed = process.call("PUT", "/api/v1/policy", "{\"policy\": \"first\"}").json();
      assertThat(changed.toString())
          .isEqualTo(
              "{\"policy\":\"first\",\"before\":\"second\",\"changes\":[],\"rulesPaused\":true}");
      assertThat(process.get("/api/v1/stats").as(StatsDocument.class).policy().rulesPaused())
          .isTrue();
      assertThat(process.get("/metrics").body()).contains("ebb_policy_rules_paused 1");

      Answer resumed = process.call("POST", "/api/v1/policy/rules/resume", "{}");
      assertThat(resumed.as(RulesDocument.class).paused()).isFalse();
      await(process, () -> {}, active("second", "full"));
      Answer paused = process.call("POST", "/api/v1/policy/rules/pause", "{}");
      assertThat(paused.as(RulesDocument.class).policy()).isEqualTo("first");
      assertThat(paused.as(RulesDocument.class).rules().get(0).holds()).isTrue();
    }
  }

  @Test
  void rulesChangeWhileItServes() {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      fill(process);
      String rule =
          "{\"name\": \"full\", \"when\": \"occupancy\", \"above\": \"50 %\", \"clear-at\": \"40 %\","
              + " \"sustained-for\": \"0 s\", \"policy\": \"secnd\"}";
      Answer wrong = change(process, rule);
      assertThat(wrong.status()).isEqualTo(400);
      assertThat(wrong.error())
          .startsWith("ebb.eviction.rules[full].policy: no policy named 'secnd'")
          .contains("did you mean 'second'?");
      assertThat(change(process, rule.replace("50 %", "30 %")).error())
          .isEqualTo("ebb.eviction.rules[1].clear-at = '40 %' must be less than above, 30.0 %");

      assertThat(change(process, rule.replace("secnd", "second")).status()).isEqualTo(200);
      await(process, () -> {}, active("second", "full"));
      change(process, "");
      assertThat(policy(process).policy()).isEqualTo("first");
      assertThat(rules(process).rules()).isEmpty();
    }
  }

  @Test
  void aPolicyThatFailsWhileActiveIsNotActivatedAgain() {
    PluginJarBuilder.plugin("bad")
        .provider("bad.Bad", FailsWhenActive.SOURCE)
        .writeTo(Configs.plugins(home), "bad.jar");
    try (AdminProcess process = AdminProcess.start(home, FULL.formatted("bad"))) {
      fill(process);
      await(process, () -> {}, active("bad", "full"));
      await(
          process,
          () -> use(process),
          policy -> !policy.quarantine().isEmpty() && active("first", "").test(policy));
      long switcher = switcher(process);
      assertThat(rules(process).active()).isNull();
      assertThat(rules(process).rules().get(0).switches()).isOne();

      process.call("POST", "/api/v1/policy/rules/resume", "{}");
      long looked = System.nanoTime() + Duration.ofSeconds(2).toNanos();
      while (System.nanoTime() < looked) {
        fill(process);
        Awaiting.pause(PAUSE_MILLIS);
      }
      assertThat(switcher(process)).isEqualTo(switcher);
      assertThat(policy(process).policy()).isEqualTo("first");
      RulesDocument.Rule rule = rules(process).rules().get(0);
      assertThat(rule.holds()).isTrue();
      assertThat(rule.refusal())
          .isEqualTo("its policy is in quarantine; clear it with 'ebb policy unquarantine bad'");

      process.call("DELETE", "/api/v1/quarantine/bad", "");
      await(process, () -> {}, active("bad", "full"));
    }
  }

  private static PolicyDocument policy(AdminProcess process) {
    return process.get("/api/v1/policy").as(PolicyDocument.class);
  }

  private static RulesDocument rules(AdminProcess process) {
    return process.get("/api/v1/policy/rules").as(RulesDocument.class);
  }

  private static SwapDocument.History history(AdminProcess process) {
    return process.get("/api/v1/plugins/history").as(SwapDocument.History.class);
  }

  private static long switcher(AdminProcess process) {
    return history(process).switches();
  }

  private static Answer change(AdminProcess process, String rules) {
    long version = process.get("/api/v1/config").as(ConfigDocument.class).version();
    return process.call(
        "PATCH",
        "/api/v1/config",
        "{\"version\": %d, \"changes\": {\"ebb.eviction.rules\": [%s]}}".formatted(version, rules));
  }

  private static void ask(AdminProcess process, String model) {
    for (int i = 0; i < 200; i++) {
      process.jedis().get("%s@1@0@%04x@ann".formatted(model, i));
    }
  }

  private static void fill(AdminProcess process) {
    for (int i = 0; i < 40; i++) {
      process.put("key-" + i, 60_000);
    }
  }

  private static void use(AdminProcess process) {
    for (int i = 0; i < 40; i++) {
      process.jedis().get("key-" + i);
    }
  }

  /** A policy and the rule that has activated it; empty for none. */
  private static Predicate<PolicyDocument> active(String name, String rule) {
    return policy ->
        policy.policy().equals(name) && Objects.requireNonNullElse(policy.rule(), "").equals(rule);
  }

  /** Does something until the policy is as wanted. */
  private static void await(
      AdminProcess process, Runnable traffic, Predicate<PolicyDocument> wanted) {
    Instant end = Instant.now().plus(TIMEOUT);
    while (true) {
      traffic.run();
      PolicyDocument policy = policy(process);
      if (wanted.test(policy)) {
        return;
      }
      assertThat(Instant.now()).as(policy.toString()).isBefore(end);
      Awaiting.pause(PAUSE_MILLIS);
    }
  }
}
