package dev.ebb.host.switching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.plugin.UnloadReport;
import dev.ebb.host.policy.PolicyPartition;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.BadPolicies;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicySwitcherTest {

  /** Fails in the second part only. */
  private static final String FAILS_IN_SECOND_PART =
      """
      if (context.partition().equals("tenant:ann")) {
        throw new IllegalStateException("not here");
      }
      """;

  @TempDir private Path home;

  @Test
  void aSwitchIsRememberedWithItsSteps() {
    plugin("1.0.0").policy("one").policy("two").writeTo(Configs.plugins(home), "a.jar");
    try (SwitchBench bench = SwitchBench.of(home)) {
      bench.switcher.switchTo("one", SwitchCause.START);
      SwitchRecord record = bench.switcher.switchTo("two", SwitchCause.rule("too few hits"));

      assertThat(bench.site.policy()).isEqualTo("two");
      assertThat(record.isPublished()).isTrue();
      assertThat(record.from().name()).isEqualTo("one");
      assertThat(record.to()).isEqualTo(bench.switcher.active());
      assertThat(record.to().version()).isEqualTo("1.0.0");
      assertThat(record.cause()).hasToString("rule: too few hits");
      assertThat(record.failedStep()).isNull();
      Awaiting.until(() ->
          record.steps().containsKey(SwitchStep.CLOSE)
              && record.steps().containsKey(SwitchStep.ANSWER));
      assertThat(record.steps())
          .containsOnlyKeys(
              SwitchStep.CREATE,
              SwitchStep.SELF_TEST,
              SwitchStep.SNAPSHOT,
              SwitchStep.CATCH_UP,
              SwitchStep.CHECK,
              SwitchStep.PUBLISH,
              SwitchStep.ANSWER,
              SwitchStep.CLOSE);
      assertThat(bench.switcher.history().records()).hasSize(2).last().isSameAs(record);
    }
  }

  @Test
  void anUnknownPolicyChangesNothingAndIsRemembered() {
    plugin("1.0.0").policy("one").writeTo(Configs.plugins(home), "a.jar");
    try (SwitchBench bench = SwitchBench.of(home)) {
      bench.switcher.switchTo("one", SwitchCause.START);

      assertThatThrownBy(() -> bench.switcher.switchTo("eno", SwitchCause.OPERATOR))
          .isInstanceOf(UserError.class)
          .hasMessageStartingWith("no policy named 'eno'");
      assertFailed(bench, SwitchStep.VERIFY, "no policy named 'eno'");
    }
  }

  @Test
  void aPolicyThatBreaksTheContractIsCaughtBeforeItSeesAnything() {
    plugin("1.0.0")
        .policy("one")
        .provider("acme.Bad", BadPolicies.source("Bad", "throw new IllegalStateException(\"no\");"))
        .writeTo(Configs.plugins(home), "a.jar");
    try (SwitchBench bench = SwitchBench.of(home)) {
      bench.switcher.switchTo("one", SwitchCause.START);

      assertThatThrownBy(() -> bench.switcher.switchTo("bad", SwitchCause.OPERATOR))
          .isInstanceOf(UserError.class)
          .hasMessageContainingAll(
              "policy 'bad' failed: java.lang.IllegalStateException: no", "'one' stays active");
      assertFailed(bench, SwitchStep.SELF_TEST, "IllegalStateException");
      assertThat(bench.switcher.history().records().getLast().stack()).contains("acme.Bad$");
      assertThat(bench.switcher.quarantine().cases()).isEmpty();
    }
  }

  @Test
  void ifOnePartFailsAllKeepTheOldPolicy() {
    plugin("1.0.0")
        .policy("one")
        .policy("half", FAILS_IN_SECOND_PART)
        .writeTo(Configs.plugins(home), "a.jar");
    try (SwitchBench bench = new SwitchBench(home, "", List.of("default", "tenant:ann"))) {
      bench.switcher.switchTo("one", SwitchCause.START);

      assertThatThrownBy(() -> bench.switcher.switchTo("half", SwitchCause.OPERATOR))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("not here");
      assertThat(bench.site.places()).allMatch(place -> place.policy().equals("one"));
      assertFailed(bench, SwitchStep.CREATE, "not here");
    }
  }

  @Test
  void rollbackGoesBackToThePolicyAndItsJar() {
    Path folder = Configs.plugins(home);
    plugin("1.0.0").policy("one").policy("two").writeTo(folder, "a.jar");
    try (SwitchBench bench = SwitchBench.of(home)) {
      bench.switcher.switchTo("one", SwitchCause.START);
      assertThatThrownBy(() -> bench.switcher.rollback())
          .hasMessage("there is no policy to go back to: none was active before");
      var first = bench.switcher.active();
      plugin("1.1.0").policy("one").policy("two").writeTo(folder, "a.jar");
      SwitchRecord forth = reloaded(bench);
      assertThat(forth.cause()).hasToString("changed JAR: acme 1.1.0 (a.jar)");
      assertThat(forth.steps()).containsKeys(SwitchStep.STAGE, SwitchStep.VERIFY, SwitchStep.LOAD);
      assertThat(bench.switcher.active().version()).isEqualTo("1.1.0");
      assertUnloaded(forth);

      SwitchRecord back = bench.switcher.rollback();

      assertThat(bench.switcher.active()).isEqualTo(first);
      assertThat(bench.site.policy()).isEqualTo("one");
      assertUnloaded(back);
      assertThat(bench.host.plugins().reports())
          .extracting(report -> report.version() + " " + report.state())
          .containsExactlyInAnyOrder("1.1.0 REFUSED", "1.0.0 LOADED");
      assertThat(bench.switcher.previous()).isEqualTo(forth.to());

      bench.switcher.rollback();
      assertThat(bench.switcher.active()).isEqualTo(forth.to());
      assertThat(bench.host.plugins().reports())
          .extracting(report -> report.version() + " " + report.state())
          .containsExactly("1.1.0 LOADED");
    }
  }

  @Test
  void rollbackGoesBackToTheCopyOfAJarThatTheFolderDoesNotHaveAnyMore() throws IOException {
    Path folder = Configs.plugins(home);
    plugin("1.0.0").policy("one").writeTo(folder, "a.jar");
    Path jar = PluginJarBuilder.plugin("good").policy("good").writeTo(folder, "good.jar");
    try (SwitchBench bench = SwitchBench.of(home)) {
      var good = removedAfterUse(bench, jar);

      bench.switcher.rollback();

      assertThat(bench.switcher.active()).isEqualTo(good);
      bench.reloads.reload(Set.of());
      assertThat(bench.switcher.active()).isEqualTo(good);
      assertThat(bench.host.plugins().reports())
          .extracting(PluginReport::reason)
          .containsExactly("", "its file was removed; the copy serves as long as it is used");
    }
  }

  @Test
  void rollbackToARemovedJarIsRefusedWhereNoCopyIsToServe() throws IOException {
    Path folder = Configs.plugins(home);
    plugin("1.0.0").policy("one").writeTo(folder, "a.jar");
    Path jar = PluginJarBuilder.plugin("good").policy("good").writeTo(folder, "good.jar");
    try (SwitchBench bench = SwitchBench.of(home, "ebb.plugins.on-removed = fall-back")) {
      removedAfterUse(bench, jar);

      assertThatThrownBy(() -> bench.switcher.rollback())
          .isInstanceOf(UserError.class)
          .hasMessage(
              "the plugin folder '%s' no longer has 'good@1.0.0', and ebb.plugins.on-removed"
                  + " forbids using its copy; put the JAR there again",
              folder);
      assertThat(bench.switcher.active().name()).isEqualTo("one");
    }
  }

  @Test
  void rollbackIsRefusedWhereAThirdJarOfThePluginWouldServe() {
    Path folder = Configs.plugins(home);
    plugin("1.0.0").policy("one").writeTo(folder, "a.jar");
    try (SwitchBench bench = SwitchBench.of(home)) {
      bench.switcher.switchTo("one", SwitchCause.START);
      plugin("1.1.0").policy("one").writeTo(folder, "a.jar");
      var newer = reloaded(bench).to();
      plugin("0.9.0").policy("one").writeTo(folder, "third.jar");

      assertThatThrownBy(() -> bench.switcher.rollback())
          .hasMessage(
              "the plugin folder '%s' has another JAR of plugin 'acme'; remove it first", folder);
      bench.reloads.reload(Set.of());
      assertThat(bench.switcher.active()).isEqualTo(newer);
    }
  }

  /** Returns what was active and is gone. */
  private static StrategyVersion removedAfterUse(SwitchBench bench, Path jar) throws IOException {
    bench.switcher.switchTo("good", SwitchCause.START);
    StrategyVersion good = bench.switcher.active();
    bench.switcher.switchTo("one", SwitchCause.OPERATOR);
    Files.delete(jar);
    Awaiting.until(() -> {
      bench.reloads.reload(Set.of());
      return bench.host.plugins().reports().size() == 1;
    });
    return good;
  }

  @Test
  void aGenerationStaysAsLongAsAnyInstanceOfItIsUsed() {
    Path folder = Configs.plugins(home);
    plugin("1.0.0").policy("one").writeTo(folder, "a.jar");
    try (SwitchBench bench = SwitchBench.of(home)) {
      bench.switcher.switchTo("one", SwitchCause.START);
      var shadow =
          bench
              .host
              .policies()
              .create(PolicySpec.of("one"), new PolicyPartition("shadow", 10, () -> 0, 1));
      plugin("2.0.0").policy("one").writeTo(folder, "a.jar");
      SwitchRecord record = reloaded(bench);
      Awaiting.until(() -> record.steps().containsKey(SwitchStep.CLOSE));

      assertThat(record.loader()).isNull();
      assertThat(shadow.value().size()).isZero();
      shadow.close();
      assertUnloaded(record);
    }
  }

  private static SwitchRecord reloaded(SwitchBench bench) {
    bench.reloads.reload(Set.of());
    return bench.switcher.history().records().getLast();
  }

  private static void assertUnloaded(SwitchRecord record) {
    Awaiting.until(() -> {
      System.gc();
      return record.loader() == UnloadReport.Outcome.COLLECTED;
    });
    assertThat(record.steps()).containsKeys(SwitchStep.UNLOAD, SwitchStep.COLLECT);
  }

  private static void assertFailed(SwitchBench bench, SwitchStep step, String why) {
    SwitchRecord record = bench.switcher.history().records().getLast();
    assertThat(record.isPublished()).isFalse();
    assertThat(record.failedStep()).isEqualTo(step);
    assertThat(record.failure()).contains(why);
    assertThat(bench.switcher.active().name()).isEqualTo("one");
    assertThat(bench.site.policy()).isEqualTo("one");
  }

  private static PluginJarBuilder plugin(String version) {
    return PluginJarBuilder.plugin("acme").version(version);
  }
}
