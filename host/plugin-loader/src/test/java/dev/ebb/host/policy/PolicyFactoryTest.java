package dev.ebb.host.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.PluginFolderTest;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.wiring.Host;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.LifetimePredictorProvider;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyFactoryTest extends PluginFolderTest {

  private static final String READS_SETTINGS =
      """
      Settings settings = context.settings();
      System.setProperty("acme.ageing", settings.choice("ageing", Ageing.NONE).name());
      settings.integer("size", 1, 1, 10);
      settings.number("share", 0.5, 0, 1);
      """;

  private final List<Host> hosts = new ArrayList<>();

  @AfterEach
  void close() {
    hosts.forEach(Host::close);
    System.clearProperty("acme.ageing");
    System.clearProperty("acme.seen");
  }

  @Test
  void aPolicyIsMadeByName() {
    PluginJarBuilder.plugin("acme").policy("lru").policy("arc").writeTo(folder, "a.jar");
    PolicyFactory factory = open("").policies();

    assertThat(factory.names()).containsExactly("arc", "lru");
    assertThat(
            factory
                .create(PolicySpec.of("lru"), new PolicyPartition("default", 10, () -> 0, 1))
                .value()
                .size())
        .isZero();
  }

  @Test
  void theAutomaticChoiceNamesPoliciesOfPlugins() {
    PluginJarBuilder.plugin("acme").policy("lru").policy("arc").writeTo(folder, "a.jar");
    Host host = open("ebb.eviction { policy = auto, policies.auto.policies = \"arc, lru\" }");
    PolicyFactory factory = host.policies();

    host.verify();
    assertThat(PolicyFactory.chosenAmong(host.config())).containsExactly("arc", "lru");
    try (StrategyInstance<BlockPolicy<?>> auto =
        factory.create(PolicySpec.of("auto"), new PolicyPartition("default", 10, () -> 0, 1))) {
      assertThat(auto.value().gauges()).containsEntry("chosen-arc", 1.0);
      assertThat(auto.uses()).hasSize(2);
    }
  }

  @Test
  void allMistakesOfTheAutomaticChoiceAreReportedTogetherAndOnce() {
    PluginJarBuilder.plugin("acme").policy("lru").policy("arc").writeTo(folder, "a.jar");
    String wrong =
        "ebb.eviction { policy = auto, policies.auto { policies = \"%s\", regret = 2, among = lru }"
            + " }";
    assertThatThrownBy(open(wrong.formatted("arc, none, arc, builtin-lru, lfu"))::verify)
        .isInstanceOfSatisfying(
            UserError.class,
            error ->
                assertThat(error.messages())
                    .hasSize(6)
                    .allSatisfy(problem -> assertThat(problem).contains("ebb.conf:1: "))
                    .anySatisfy(problem -> assertThat(problem).contains("'arc' is named twice"))
                    .anySatisfy(problem -> assertThat(problem).contains("'none'", ".auto.policies"))
                    .anySatisfy(problem ->
                        assertThat(problem).contains("'builtin-lru'", ".auto.policies", "'lru'"))
                    .anySatisfy(problem ->
                        assertThat(problem)
                            .contains("'lfu'", ".auto.policies", "available: [arc, lru]"))
                    .anySatisfy(problem -> assertThat(problem).contains("regret", "'2'"))
                    .anySatisfy(problem -> assertThat(problem).contains("'among'", "policies")));
  }

  @Test
  void theAutomaticChoiceTakesAListOfPolicies() {
    PluginJarBuilder.plugin("acme").policy("lru").policy("arc").writeTo(folder, "a.jar");
    Host host = open("ebb.eviction { policy = auto, policies.auto.policies = [arc, lru] }");
    host.verify();
    assertThat(PolicyFactory.chosenAmong(host.config())).containsExactly("arc", "lru");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"\"            | one to 8",
        "[]            | one to 8",
        "\"arc,,lru\"    | is missing",
        "[arc, [lru]]  | list",
      })
  void aMissingPolicyOfTheAutomaticChoiceIsReported(String policies, String message) {
    PluginJarBuilder.plugin("acme").policy("lru").policy("arc").writeTo(folder, "a.jar");
    Host host = open("ebb.eviction { policy = auto, policies.auto.policies = " + policies + " }");
    assertThatThrownBy(host::verify)
        .hasMessageContainingAll("ebb.eviction.policies.auto.policies", message, "lru");
  }

  @Test
  void aPluginCannotTakeTheNameOfTheAutomaticChoice() {
    PluginJarBuilder.plugin("acme").policy("auto").writeTo(folder, "a.jar");
    assertThat(open("").plugins().reports().getFirst().reason()).contains("'auto'", "reserved");
  }

  @Test
  void aPolicyKnowsItsPartition() {
    PluginJarBuilder.plugin("acme")
        .policy(
            "lru",
            """
            System.setProperty("acme.seen", context.capacityBlocks() + " " + context.partition()
                + " " + context.clock().nanos() + " " + context.random().nextLong());
            """)
        .writeTo(folder, "a.jar");
    PolicyFactory factory = open("").policies();

    factory.create(PolicySpec.of("lru"), new PolicyPartition("tenant:acme", 10, () -> 42, 7));
    String seen = System.getProperty("acme.seen");
    factory.create(PolicySpec.of("lru"), new PolicyPartition("tenant:acme", 10, () -> 42, 7));

    assertThat(seen).startsWith("10 tenant:acme 42 ");
    assertThat(System.getProperty("acme.seen")).as("same seed, same numbers").isEqualTo(seen);
  }

  @Test
  void settingsOfAnOptionLieOverTheFileOverThePluginsDefaults() {
    PluginJarBuilder.plugin("acme")
        .policy("lfu", READS_SETTINGS)
        .entry("reference.conf", "lfu { ageing = dynamic, unread = 1 }")
        .writeTo(folder, "a.jar");

    assertThat(ageing("", "lfu")).isEqualTo("DYNAMIC");
    assertThat(ageing("ebb.eviction.policies.lfu.ageing = none", "lfu")).isEqualTo("NONE");
    assertThat(ageing("ebb.eviction.policies.lfu.ageing = none", "lfu(ageing=dynamic)"))
        .isEqualTo("DYNAMIC");
  }

  @Test
  void allWrongSettingsAreReportedTogether() {
    PluginJarBuilder.plugin("acme").policy("lfu", READS_SETTINGS).writeTo(folder, "a.jar");
    PolicyFactory factory =
        open("""
        ebb.eviction.policies.lfu {
          ageing = dinamic
          size = 11
          shard = 1
        }
        """)
            .policies();

    assertThatThrownBy(() -> create(factory, "lfu(share=2)"))
        .isInstanceOfSatisfying(
            UserError.class,
            error ->
                assertThat(error.messages())
                    .containsExactly(
                        at(2)
                            + "ebb.eviction.policies.lfu.ageing = 'dinamic' must be one of [none,"
                            + " dynamic] (did you mean 'dynamic'?)",
                        at(3)
                            + "ebb.eviction.policies.lfu.size = '11' must be a whole number from 1"
                            + " to 10",
                        "--policies: ebb.eviction.policies.lfu.share = '2' must be a number from 0"
                            + " to 1",
                        at(4)
                            + "unknown setting 'shard' (did you mean 'share'?) for"
                            + " policy 'lfu'; allowed: ageing, share, size"));
  }

  @Test
  void aCombinationTheProviderRefusesIsTheUsersMistake() {
    PluginJarBuilder.plugin("acme")
        .policy("lfu", "if (true) throw new SettingException(\"a and b exclude each other\");")
        .writeTo(folder, "a.jar");

    assertThatThrownBy(() -> create(open("").policies(), "lfu"))
        .isInstanceOf(UserError.class)
        .hasMessage("a and b exclude each other");
  }

  @Test
  void whatAPluginThrowsIsItsOwnFailure() {
    PluginJarBuilder.plugin("acme")
        .policy("lfu", "if (true) throw new IllegalStateException(\"no\");")
        .writeTo(folder, "a.jar");

    assertThatThrownBy(() -> create(open("").policies(), "lfu"))
        .isInstanceOf(PluginFailure.class)
        .hasMessage(
            "policy 'lfu' of plugin 'acme' failed in create: java.lang.IllegalStateException: no,"
                + " at acme.LfuProvider.create(LfuProvider.java:9)");
  }

  @Test
  void noPolicyIsAFailureToo() {
    PluginJarBuilder.plugin("acme")
        .policy("lfu", "if (true) return null;")
        .writeTo(folder, "a.jar");

    assertThatThrownBy(() -> create(open("").policies(), "lfu"))
        .isInstanceOf(PluginFailure.class)
        .hasMessageEndingWith("java.lang.IllegalStateException: create returned null");
  }

  @Test
  void aPolicyMayAskForAPredictorOfAnotherPlugin() {
    PluginJarBuilder.plugin("acme")
        .policy("life", "context.predictor(\"survival\").close();")
        .writeTo(folder, "a.jar");
    predictor().writeTo(folder, "b.jar");

    assertThat(create(open("").policies(), "life")).isNotNull();
    assertThat(System.getProperty("acme.seen")).isEqualTo("64");
  }

  @Test
  void aWrongOrMissingPredictorIsTheUsersMistake() {
    PluginJarBuilder.plugin("acme")
        .policy("life", "context.predictor(\"survivel\").close();")
        .policy("wife", "context.predictor(\"survival\").close();")
        .writeTo(folder, "a.jar");
    predictor().writeTo(folder, "b.jar");
    PolicyFactory factory = open("ebb.eviction.predictors.survival.bins = 0").policies();

    assertThatThrownBy(() -> create(factory, "life"))
        .isInstanceOf(UserError.class)
        .hasMessage(
            "no lifetime predictor named 'survivel' (did you mean 'survival'?); available:"
                + " [survival]");
    assertThatThrownBy(() -> create(factory, "wife"))
        .isInstanceOf(UserError.class)
        .hasMessage(
            at(1)
                + "ebb.eviction.predictors.survival.bins = '0' must be a whole number from 1 to"
                + " 100");
  }

  @Test
  void noneNeverEvicts() {
    PolicyFactory factory = open("").policies();

    BlockPolicy<?> none = create(factory, "none");

    assertThat(none.size()).isZero();
    assertThatThrownBy(() -> create(factory, "none(a=1)"))
        .isInstanceOf(UserError.class)
        .hasMessage("'none(a=1)': the policy 'none' has no settings");
  }

  private String ageing(String config, String spec) {
    create(open(config).policies(), spec);
    return System.getProperty("acme.ageing");
  }

  private static BlockPolicy<?> create(PolicyFactory factory, String spec) {
    return factory
        .create(
            PolicySpec.parse(spec, "--policies"), new PolicyPartition("default", 10, () -> 0, 1))
        .value();
  }

  private Host open(String config) {
    LoadedConfig loaded = Configs.of(home, config);
    Host host = Host.open(loaded);
    hosts.add(host);
    return host;
  }

  private String at(int line) {
    return home.resolve("ebb.conf") + ":" + line + ": ";
  }

  private static PluginJarBuilder predictor() {
    return PluginJarBuilder.plugin("survival")
        .source(
            "acme.Survival",
            """
            package acme;
            import dev.ebb.spi.*;
            public final class Survival implements LifetimePredictorProvider {
              public String name() { return "survival"; }
              public LifetimePredictor create(PolicyContext context) {
                long bins = context.settings().integer("bins", 64, 1, 100);
                System.setProperty("acme.seen", String.valueOf(bins));
                return new LifetimePredictor() {
                  public void observe(Entry entry, Event event, double idleSeconds) {}
                  public void predict(Entry entry, Prediction out) { out.set(0, 0); }
                };
              }
            }
            """)
        .service(LifetimePredictorProvider.class, "acme.Survival");
  }
}
