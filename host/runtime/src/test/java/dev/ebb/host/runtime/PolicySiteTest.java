package dev.ebb.host.runtime;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.PolicyState;
import dev.ebb.host.config.Configs;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.UnloadReport;
import dev.ebb.host.shadow.Recording;
import dev.ebb.host.shadow.ShadowReport;
import dev.ebb.host.switching.SwitchCause;
import dev.ebb.host.switching.SwitchRecord;
import dev.ebb.host.switching.SwitchStep;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.BadPolicies;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.LifetimePredictorProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every site can do with its policies, with real JARs. The modules with a site extend it: the
 * store, an engine in host memory, and an engine on the CUDA test driver.
 */
public abstract class PolicySiteTest {

  /** As many keys as fit, at least. */
  protected static final int ENTRIES = 256;

  private static final String RULE =
      """
      ebb.eviction.rules = [{
        name = tight, when = occupancy, above = "50 %", clear-at = "40 %"
        sustained-for = 0s, min-hold = 0s, policy = two
      }]
      """;

  private static final String PREDICTOR =
      """
      package acme;

      import dev.ebb.spi.*;

      public final class Life implements LifetimePredictorProvider {
        public String name() { return "life"; }

        public LifetimePredictor create(PolicyContext context) {
          return new LifetimePredictor() {
            public void observe(Entry entry, Event event, double idleSeconds) {}

            public void predict(Entry entry, Prediction out) {}
          };
        }
      }
      """;

  @TempDir private Path home;
  private Path plugins;
  private @Nullable TestSite site;

  /** A site under test. */
  protected interface TestSite extends AutoCloseable {

    PolicyRuntime policies();

    /** Requests a key, and caches it if it is not there. Returns whether it was there. */
    boolean use(int key);

    @Override
    void close();
  }

  /** Starts a site with room for {@link #ENTRIES} keys. */
  protected abstract TestSite start(Path folder, String settings);

  @BeforeEach
  void makePlugin() {
    plugins = Configs.plugins(home);
    acme("1.0.0");
  }

  @AfterEach
  void close() {
    if (site != null) {
      site.close();
    }
  }

  private void acme(String version) {
    PluginJarBuilder.plugin("acme")
        .version(version)
        .policy("one")
        .policy("two")
        .writeTo(plugins, "acme.jar");
  }

  private PolicyRuntime start(String settings) {
    TestSite started = start(home, "ebb.eviction.policy = one\n" + settings);
    site = started;
    return started.policies();
  }

  private boolean use(int key) {
    return requireNonNull(site).use(key);
  }

  private void use(int from, int to) {
    IntStream.range(from, to).forEach(this::use);
  }

  private static void choose(PolicyRuntime runtime, String policy) {
    runtime.use(PolicySpec.parse(policy, "policy"));
  }

  private static SwitchRecord last(PolicyRuntime runtime) {
    return runtime.switcher().history().records().getLast();
  }

  @Test
  void aChangedJarTakesOverAndNoEntryIsLost() {
    PolicyRuntime runtime = start("");
    use(0, 10);
    acme("1.1.0");

    Awaiting.until(() -> "1.1.0".equals(runtime.switcher().active().version()));

    assertThat(last(runtime).cause().toString())
        .startsWith("changed JAR: acme 1.1.0 (")
        .endsWith(".jar)");
    assertThat(runtime.policy()).isEqualTo("one");
    assertThat(IntStream.range(0, 10)).allMatch(this::use);
    SwitchRecord record = last(runtime);
    Awaiting.until(() -> {
      System.gc();
      return record.loader() == UnloadReport.Outcome.COLLECTED;
    });
  }

  @Test
  void aPolicyIsSwitchedAndTheSwitchIsRecorded() {
    PolicyRuntime runtime = start("");
    use(0, 10);

    choose(runtime, "two");

    assertThat(runtime.policy()).isEqualTo("two");
    assertThat(runtime.config().config().eviction().policy().name()).isEqualTo("two");
    SwitchRecord record = last(runtime);
    Awaiting.until(() -> record.steps().containsKey(SwitchStep.ANSWER));
    assertThat(record.steps())
        .containsKeys(SwitchStep.CREATE, SwitchStep.SELF_TEST, SwitchStep.PUBLISH);
    assertThat(IntStream.range(0, 10)).allMatch(this::use);
    use(10, 2 * ENTRIES);
    assertThat(runtime.policy()).isEqualTo("two");
    assertThat(runtime.switcher().quarantine().cases()).isEmpty();
  }

  @Test
  void aFailedSelfTestChangesNothing() {
    PluginJarBuilder.plugin("bad")
        .provider("acme.Bad", BadPolicies.source("Bad", "throw new IllegalStateException(\"no\");"))
        .writeTo(plugins, "bad.jar");
    PolicyRuntime runtime = start("");

    assertThatThrownBy(() -> choose(runtime, "bad"))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'bad'");

    assertThat(last(runtime).failedStep()).isEqualTo(SwitchStep.SELF_TEST);
    assertThat(runtime.policy()).isEqualTo("one");
    assertThat(runtime.config().config().eviction().policy().name()).isEqualTo("one");
  }

  @Test
  void aPolicyThatMiscountsTheResidentsDoesNotTakeOver() {
    PluginJarBuilder.plugin("lost")
        .provider(
            "acme.Lost",
            BadPolicies.source("Lost", "")
                .replace("return held;", "return tested ? held : held + 1;"))
        .writeTo(plugins, "lost.jar");
    PolicyRuntime runtime = start("");
    use(0, 10);

    assertThatThrownBy(() -> choose(runtime, "lost"))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'lost' holds 11 entries after taking over, but 10 are resident");

    assertThat(last(runtime).failedStep()).isEqualTo(SwitchStep.CHECK);
    assertThat(runtime.policy()).isEqualTo("one");
    assertThat(IntStream.range(0, 10)).allMatch(this::use);
  }

  @Test
  void aPolicyContinuesAfterARestartWithWhatItHasLearned() {
    PluginJarBuilder.plugin("learner")
        .provider("acme.Counts", BadPolicies.source("Counts", "", BadPolicies.COUNTS_RESTARTS))
        .writeTo(plugins, "learner.jar");
    String settings = "ebb { eviction.policy = counts, state { folder = state, interval = 1 h } }";
    for (long starts = 1; starts < 4; starts++) {
      PolicyState state = requireNonNull(start(settings).site().places().getFirst().policyState());
      assertThat(ByteBuffer.wrap(state.bytes()).getLong()).isEqualTo(starts);
      requireNonNull(site).close();
      site = null;
    }
  }

  @Test
  void aPolicyThatFailsWhileActiveIsQuarantined() {
    PluginJarBuilder.plugin("late")
        .provider(
            "acme.Late",
            BadPolicies.source("Late", "if (!tested) throw new IllegalStateException(\"late\");"))
        .writeTo(plugins, "late.jar");
    PolicyRuntime runtime = start("");
    choose(runtime, "late");

    use(0, 3 * ENTRIES);

    Awaiting.until(() -> runtime.switcher().active().name().equals(BuiltInLru.NAME));
    assertThat(runtime.policy()).isEqualTo(BuiltInLru.NAME);
    assertThat(last(runtime).cause().kind()).isEqualTo(SwitchCause.Kind.QUARANTINE);
    assertThat(runtime.switcher().quarantine().cases())
        .singleElement()
        .satisfies(each -> assertThat(each.strategy().name()).isEqualTo("late"));
    assertThatThrownBy(() -> choose(runtime, "late")).hasMessageContaining("quarantine");

    runtime.switcher().quarantine().clear("late");
    choose(runtime, "late");
    assertThat(runtime.policy()).isEqualTo("late");
  }

  @Test
  void rollbackGoesBackToThePolicyBefore() {
    PolicyRuntime runtime = start("");
    choose(runtime, "two");

    SwitchRecord record = runtime.rollback();

    assertThat(record.cause()).isEqualTo(SwitchCause.ROLLBACK);
    assertThat(runtime.policy()).isEqualTo("one");
    assertThat(runtime.config().config().eviction().policy().name()).isEqualTo("one");
  }

  @Test
  void aRuleSwitchesThePolicy() {
    PolicyRuntime runtime = start(RULE);
    assertThat(runtime.policy()).isEqualTo("one");

    use(0, ENTRIES * 3 / 4);

    Awaiting.until(() -> runtime.policy().equals("two"));
    assertThat(last(runtime).cause().kind()).isEqualTo(SwitchCause.Kind.RULE);
    Awaiting.until(() -> "tight".equals(runtime.rules().report().active()));
    assertThat(runtime.config().config().eviction().policy().name()).isEqualTo("one");
  }

  @Test
  void aPolicyOfTheConfigurationMayHaveSettingsInParentheses() {
    PluginJarBuilder.plugin("sized")
        .policy("sized", "context.settings().integer(\"size\", 1, 1, 9);")
        .writeTo(plugins, "sized.jar");
    PolicyRuntime runtime = start("");

    assertThat(plan(runtime, "sized(size=7)").changes())
        .extracting(RuntimeConfig.Change::key)
        .containsExactly("ebb.eviction.policies.sized.size", "ebb.eviction.policy");
  }

  @Test
  void theFallbackCannotBeConfigured() {
    PolicyRuntime runtime = start("");

    assertThatThrownBy(() -> plan(runtime, "builtin-lru"))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'builtin-lru' is the fallback");
  }

  private static RuntimeConfig.Plan plan(PolicyRuntime runtime, String policy) {
    return runtime.config().plan(Map.of("ebb.eviction.policy", policy));
  }

  @Test
  void aShadowCountsTheTrafficOfTheSite() {
    PolicyRuntime runtime = start("");
    runtime.config().commit(Map.of("ebb.shadow.policies", List.of("two")), SwitchCause.OPERATOR);

    Awaiting.until(() -> {
      use(0, ENTRIES / 2);
      return runtime.shadows().report().candidates().stream()
          .allMatch(each -> each.state() == ShadowReport.State.RUNNING && each.enough());
    });

    assertThat(runtime.shadows().report().candidates())
        .hasSize(2)
        .allSatisfy(each -> {
          assertThat(each.estimate()).isNotNull();
          assertThat(each.estimate().hitRatio()).isGreaterThan(0.9);
        });
  }

  @Test
  void aRecordingHasTheAccessesOfTheSite() {
    PolicyRuntime runtime = start("");
    List<Recording.Access> accesses = new ArrayList<>();
    try (Recording recording = new Recording(runtime.site())) {
      assertThat(use(1)).isFalse();
      assertThat(use(2)).isFalse();
      assertThat(use(1)).isTrue();
      Awaiting.until(() -> {
        accesses.addAll(next(recording));
        return accesses.size() >= 3;
      });
      assertThat(recording.lost()).isZero();
    }
    assertThat(accesses).hasSize(3);
    assertThat(accesses.get(2).ids())
        .isEqualTo(accesses.get(0).ids())
        .isNotEqualTo(accesses.get(1).ids());
  }

  private static List<Recording.Access> next(Recording recording) {
    try {
      return recording.next(100);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  @Test
  void evictionsAreLoggedAndLimitsChangeWhileItRuns() {
    PolicyRuntime runtime = start("ebb.eviction { threshold = 1, target = 1 }");
    use(0, ENTRIES);
    long before = runtime.site().evictionLog().written();

    runtime
        .config()
        .commit(
            Map.of("ebb.eviction.threshold", 0.5, "ebb.eviction.target", 0.25),
            SwitchCause.OPERATOR);
    use(ENTRIES, ENTRIES + 1);

    Awaiting.until(() -> runtime.site().use().whole().occupancy() <= 0.5);
    assertThat(runtime.site().evictionLog().written()).isGreaterThan(before);
  }

  @Test
  void aChangedPredictorIsReloadedWithThePolicyThatUsesIt() {
    predictor("1.0.0");
    PluginJarBuilder.plugin("guess")
        .policy("guess", "context.predictor(\"life\");")
        .writeTo(plugins, "guess.jar");
    PolicyRuntime runtime = start("");
    choose(runtime, "guess");
    use(0, 10);

    predictor("1.1.0");

    Awaiting.until(() -> last(runtime).cause().kind() == SwitchCause.Kind.CHANGED_JAR);
    assertThat(last(runtime).cause()).hasToString("changed JAR: life 1.1.0 (life.jar)");
    Awaiting.until(() -> last(runtime).isPublished());
    assertThat(runtime.policy()).isEqualTo("guess");
    Awaiting.until(() -> {
      System.gc();
      return runtime.switcher().uncollectedLoaders() == 0;
    });
  }

  @Test
  void theAutomaticChoiceIsReloadedWithAPolicyThatItUses() {
    PluginJarBuilder.plugin("steady").policy("steady").writeTo(plugins, "steady.jar");
    changing("1.0.0");
    PolicyRuntime runtime = start("");
    choose(runtime, "auto(policies=\"steady, changing\")");
    use(0, 10);

    changing("1.1.0");

    Awaiting.until(() -> last(runtime).cause().kind() == SwitchCause.Kind.CHANGED_JAR);
    assertThat(last(runtime).cause()).hasToString("changed JAR: changing 1.1.0 (changing.jar)");
    Awaiting.until(() -> last(runtime).isPublished());
    assertThat(runtime.policy()).isEqualTo("auto");
    Awaiting.until(() -> {
      System.gc();
      return runtime.switcher().uncollectedLoaders() == 0;
    });
  }

  @Test
  void changedSettingsOfTheAutomaticChoiceAreAppliedAndRecorded() {
    PluginJarBuilder.plugin("steady").policy("steady").writeTo(plugins, "steady.jar");
    changing("1.0.0");
    PolicyRuntime runtime = start("");
    choose(runtime, "auto(policies=\"steady, changing\")");
    use(0, 10);
    assertThat(runtime.chosen()).isEqualTo("steady");

    runtime
        .config()
        .commit(
            Map.of("ebb.eviction.policies.auto.policies", List.of("changing", "steady")),
            SwitchCause.OPERATOR);

    assertThat(last(runtime).to().name()).isEqualTo("auto");
    assertThat(last(runtime).settings()).containsEntry("policies", List.of("changing", "steady"));
    Awaiting.until(() -> "changing".equals(runtime.chosen()));
  }

  @Test
  void aMissingPolicyOfTheAutomaticChoiceIsNamedWithItsKey() throws IOException {
    PluginJarBuilder.plugin("steady").policy("steady").writeTo(plugins, "steady.jar");
    changing("1.0.0");
    PolicyRuntime runtime = start("");
    choose(runtime, "auto(policies=\"steady, changing\")");
    choose(runtime, "steady");
    SwitchRecord away = last(runtime);
    // Until its policies are closed, 'auto' keeps the plugins of removed JARs loaded.
    Awaiting.until(() -> away.steps().containsKey(SwitchStep.CLOSE));
    Files.delete(plugins.resolve("changing.jar"));
    runtime.reload();

    assertThatThrownBy(() -> choose(runtime, "auto"))
        .hasMessageContainingAll("ebb.eviction.policies.auto.policies", "'changing'");
    assertThatThrownBy(runtime::rollback)
        .hasMessageContainingAll("ebb.eviction.policies.auto.policies", "'changing'", "steady");
  }

  private void changing(String version) {
    PluginJarBuilder.plugin("changing")
        .version(version)
        .policy("changing")
        .writeTo(plugins, "changing.jar");
  }

  private void predictor(String version) {
    PluginJarBuilder.plugin("life")
        .version(version)
        .source("acme.Life", PREDICTOR)
        .service(LifetimePredictorProvider.class, "acme.Life")
        .writeTo(plugins, "life.jar");
  }
}
