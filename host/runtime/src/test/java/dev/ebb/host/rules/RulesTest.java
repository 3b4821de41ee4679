package dev.ebb.host.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.key.Choice;
import dev.ebb.host.config.rules.RuleConfig;
import dev.ebb.host.config.rules.RuleSignal;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.switching.SwitchBench;
import dev.ebb.host.switching.SwitchCause;
import dev.ebb.host.switching.SwitchRecord;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules put real active policies in real caches; only readings and clock are made up. */
class RulesTest {

  private static final double HIGH = 0.95;
  private static final double LOW = 0.5;

  @TempDir private Path home;
  private final MadeReadings readings = new MadeReadings();
  private SwitchBench bench;
  private Rules rules;

  @BeforeEach
  void start() {
    PluginJarBuilder.plugin("acme")
        .policy("base")
        .policy("other")
        .policy("third")
        .writeTo(Configs.plugins(home), "acme.jar");
    PluginJarBuilder.plugin("bad")
        .policy("bad", "if (true) throw new IllegalStateException(\"no\");")
        .writeTo(Configs.plugins(home), "bad.jar");
    bench = SwitchBench.of(home);
    bench.switcher.switchTo("base", SwitchCause.START);
    rules = new Rules(bench.switcher, readings, readings, "base");
  }

  @AfterEach
  void stop() {
    rules.close();
    bench.close();
  }

  private EbbConfig configured(String policy) {
    return Configs.of(home, "ebb.eviction.policy = " + policy).config();
  }

  private static RuleConfig rule(String name, String policy) {
    return new RuleConfig(
        name,
        RuleSignal.OCCUPANCY,
        null,
        0.9,
        0.8,
        Duration.ZERO,
        Duration.ZERO,
        new Choice(policy, "here"));
  }

  private void look(double occupancy) {
    readings.advance(1);
    readings.set("occupancy", occupancy);
    rules.look();
  }

  private String active() {
    assertThat(bench.site.policy()).isEqualTo(bench.switcher.active().name());
    return bench.switcher.active().name();
  }

  private List<String> causes() {
    return bench.switcher.history().records().stream()
        .map(each -> each.cause().toString())
        .toList();
  }

  @Test
  void aRuleActivatesItsPolicyAndTheConfiguredOneComesBack() {
    rules.set(List.of(rule("tight", "other")));
    look(LOW);
    assertThat(active()).isEqualTo("base");
    look(HIGH);
    assertThat(active()).isEqualTo("other");
    assertThat(rules.wanted()).isEqualTo("other");
    assertThat(rules.report().active()).isEqualTo("tight");
    look(0.85);
    assertThat(active()).isEqualTo("other");
    look(LOW);
    assertThat(active()).isEqualTo("base");
    assertThat(rules.report().active()).isNull();
    assertThat(rules.report().rules().getFirst().switches()).isOne();

    assertThat(causes())
        .containsExactly(
            "start",
            "rule: tight: occupancy 95.0 %, above 90.0 %",
            "rule: tight is over: occupancy 50.0 %, until 80.0 %");
  }

  @Test
  void anOperatorsChoiceGoesBeforeARuleAndPausesThem() {
    rules.set(List.of(rule("tight", "other")));
    look(HIGH);

    rules.choose(configured("third"), SwitchCause.OPERATOR);

    assertThat(rules.report().paused()).isTrue();
    for (double occupancy : new double[] {HIGH, LOW, HIGH}) {
      look(occupancy);
      assertThat(active()).isEqualTo("third");
    }
    rules.resume();
    look(HIGH);
    assertThat(active()).isEqualTo("other");
    look(LOW);
    assertThat(active()).as("what the operator chose is configured").isEqualTo("third");
  }

  @Test
  void anOperatorsChoiceWhileNoRuleIsActivePausesNothing() {
    rules.set(List.of(rule("tight", "other")));
    rules.choose(configured("third"), SwitchCause.OPERATOR);
    assertThat(active()).isEqualTo("third");
    assertThat(rules.report().paused()).isFalse();
    look(HIGH);
    assertThat(active()).isEqualTo("other");
  }

  @Test
  void theFileSaysWhatComesAfterTheRule() {
    rules.set(List.of(rule("tight", "other")));
    look(HIGH);
    rules.configure(configured("third"), new SwitchCause(SwitchCause.Kind.CONFIG_FILE, "ebb.conf"));
    assertThat(active()).isEqualTo("other");
    look(LOW);
    assertThat(active()).isEqualTo("third");
  }

  @Test
  void aRollbackPausesThemToo() {
    rules.set(List.of(rule("tight", "other")));
    look(HIGH);
    SwitchRecord back = rules.rollback();
    assertThat(back.to().name()).isEqualTo("base");
    look(HIGH);
    assertThat(active()).isEqualTo("base");
    assertThat(rules.report().paused()).isTrue();
  }

  @Test
  void pausedRulesLeaveTheConfiguredPolicyActive() {
    rules.set(List.of(rule("tight", "other")));
    look(HIGH);
    rules.pause();
    assertThat(active()).isEqualTo("base");
    look(HIGH);
    assertThat(active()).isEqualTo("base");
  }

  @Test
  void aRemovedRuleEndsImmediatelyAndTheOthersContinue() {
    rules.set(List.of(rule("tight", "other")));
    look(HIGH);
    rules.set(List.of(rule("new", "third"), rule("tight", "other")));
    assertThat(active()).isEqualTo("other");
    rules.set(List.of());
    assertThat(active()).isEqualTo("base");
    assertThat(causes()).last().isEqualTo("rule: tight is not configured any more");
  }

  @Test
  void aPolicyThatCannotBeActivatedIsTriedOnceAndTheNextRuleDecides() {
    rules.set(List.of(rule("first", "bad"), rule("second", "other")));
    for (int i = 0; i < 5; i++) {
      look(HIGH);
    }
    assertThat(active()).isEqualTo("other");
    assertThat(rules.report().rules().getFirst().refusal()).contains("'bad'", "no");
    assertThat(bench.switcher.history().count())
        .as("start, the failure, the second rule")
        .isEqualTo(3);

    look(LOW);
    assertThat(rules.report().rules().getFirst().refusal()).isNull();
    look(HIGH);
    assertThat(bench.switcher.history().count()).as("back, failed again").isEqualTo(5);
  }

  @Test
  void aPolicyWhoseJarIsGoneIsTriedOnce() throws IOException {
    rules.set(List.of(rule("tight", "bad")));
    Files.delete(home.resolve("plugins").resolve("bad.jar"));
    bench.reloads.reload(Set.of());
    look(HIGH);
    look(HIGH);
    assertThat(rules.report().rules().getFirst().refusal()).startsWith("no policy named 'bad'");
    assertThat(bench.switcher.history().count()).isEqualTo(2);
  }

  @Test
  void aPolicyWhoseJarComesIsTriedAgainWhileItsRuleHolds() {
    rules.set(List.of(rule("tight", "later")));
    look(HIGH);
    look(HIGH);
    assertThat(refusal()).startsWith("no policy named 'later'");
    assertThat(bench.switcher.history().count()).isEqualTo(2);

    drop("later.jar", "later", "");
    bench.reloads.reload(Set.of());
    look(HIGH);
    assertThat(active()).isEqualTo("later");
    assertThat(refusal()).isNull();
  }

  @Test
  void aLookAtTheFolderThatFindsNothingNewTriesNothingAgain() {
    rules.set(List.of(rule("tight", "bad")));
    look(HIGH);
    bench.reloads.reload(Set.of());
    look(HIGH);
    assertThat(bench.switcher.history().count()).isEqualTo(2);

    bench.reloads.retry();
    look(HIGH);
    assertThat(bench.switcher.history().count()).as("an operator asked for it").isEqualTo(3);
  }

  @Test
  void aPolicyWithAWrongSettingIsTriedAgainWithAnother() {
    drop("sized.jar", "sized", "context.settings().integer(\"size\", 1, 1, 9);");
    bench.reloads.reload(Set.of());
    String path = "ebb.eviction.policies.sized.size = ";
    bench.switcher.configure(Configs.of(home, path + 10).config(), SwitchCause.OPERATOR);
    rules.set(List.of(rule("tight", "sized")));
    look(HIGH);
    look(HIGH);
    assertThat(refusal()).contains("sized.size = '10' must be");

    bench.switcher.configure(Configs.of(home, path + 9).config(), SwitchCause.OPERATOR);
    look(HIGH);
    assertThat(active()).isEqualTo("sized");
  }

  @Test
  void aRuleReportsHowLongItHasBeenBeyondItsBound() {
    RuleConfig patient =
        new RuleConfig(
            "patient",
            RuleSignal.OCCUPANCY,
            null,
            0.9,
            0.8,
            Duration.ofSeconds(3),
            Duration.ZERO,
            new Choice("other", "here"));
    rules.set(List.of(patient));
    look(LOW);
    assertThat(beyond()).isNull();
    look(HIGH);
    assertThat(beyond()).isZero();
    look(HIGH);
    assertThat(beyond()).isEqualTo(Duration.ofSeconds(1));
    look(0.85);
    assertThat(beyond()).as("a break").isNull();
    for (int i = 0; i < 5; i++) {
      look(HIGH);
    }
    assertThat(rules.report().rules().getFirst().holds()).isTrue();
    assertThat(beyond()).isEqualTo(Duration.ofSeconds(4));
  }

  private @Nullable Duration beyond() {
    return rules.report().rules().getFirst().beyond();
  }

  private @Nullable String refusal() {
    return rules.report().rules().getFirst().refusal();
  }

  private void drop(String file, String policy, String create) {
    PluginJarBuilder.plugin(policy).policy(policy, create).writeTo(Configs.plugins(home), file);
  }

  @Test
  void aChoiceThatFailsLeavesRuleAndPolicyAsTheyAre() {
    rules.set(List.of(rule("tight", "other")));
    look(HIGH);
    assertThatThrownBy(() -> rules.choose(configured("bad"), SwitchCause.OPERATOR))
        .isInstanceOf(UserError.class);
    assertThat(active()).isEqualTo("other");
    assertThat(rules.report().paused()).isFalse();
    look(LOW);
    assertThat(active()).isEqualTo("base");
  }
}
