package dev.ebb.host.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.PluginFolderTest;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.TokenPolicyProvider;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostTest extends PluginFolderTest {

  private static final String INSTALL = "; install its JAR with 'ebb plugins install FILE'";

  @Test
  void mistakesInKeysNamesAndSettingsAreReportedTogether() {
    PluginJarBuilder.plugin("acme")
        .policy("lru")
        .policy("lfu", "context.settings().integer(\"size\", 1, 1, 10);")
        .writeTo(folder, "a.jar");

    assertThat(
            problems(
                """
                ebb.evicton {}
                ebb.eviction.policy = lur
                ebb.eviction.policies { lfu { size = 0 }, arc {}, lru.a = 1 }
                ebb.eviction.predictors { survival {} }
                ebb.tokens.policy = snapkv
                """))
        .containsExactly(
            at(1)
                + "unknown key 'ebb.evicton' (did you mean 'eviction'?); allowed: [admin, cluster,"
                + " engine, eviction, log, plugins, pool, scheduler, server, shadow, state,"
                + " tenants, tiers, tokens, tracing]",
            at(2)
                + "ebb.eviction.policy: no policy named 'lur' (did you mean 'lru'?); available:"
                + " [lfu, lru, auto, none]",
            at(5)
                + "ebb.tokens.policy: no token policy named 'snapkv'; available: [none]"
                + INSTALL,
            at(3) + "no policy named 'arc'; available: [lfu, lru, auto, none]" + INSTALL + gone(),
            at(3) + "ebb.eviction.policies.lfu.size = '0' must be a whole number from 1 to 10",
            at(3) + "unknown setting 'a' for policy 'lru'; it has no settings",
            at(4) + "no lifetime predictor named 'survival'; available: []" + INSTALL + gone());
  }

  @Test
  void aShadowThatIsNotThereIsReportedWithItsKeyAndAWayOut() {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(folder, "a.jar");

    assertThat(problems("ebb.eviction.policy = lru, ebb.shadow.policies = [none, lru, badger]"))
        .containsExactly(
            at(1)
                + "ebb.shadow.policies: no policy named 'badger'; available: [lru, auto, none]"
                + INSTALL
                + gone("take it out of the list"));
    assertThat(problems("ebb.eviction.policy = lru, ebb.shadow.policies = [\"lru(a=1)\"]"))
        .containsExactly(
            at(1)
                + "ebb.shadow.policies: unknown setting 'a' for policy 'lru'; it has no settings");
  }

  private String gone() {
    return gone("remove this section");
  }

  private String gone(String what) {
    return "; if its JAR is no longer in '%s', %s".formatted(folder, what);
  }

  @Test
  void aTokenPolicyMayBeNamedTogetherWithItsBudget() {
    PluginJarBuilder.plugin("acme")
        .source(
            "acme.Snap",
            """
            package acme;
            import dev.ebb.spi.*;
            public final class Snap implements TokenPolicyProvider {
              public String name() { return "snapkv"; }
              public TokenPolicy create(PolicyContext context) { throw new AssertionError(); }
            }
            """)
        .service(TokenPolicyProvider.class, "acme.Snap")
        .writeTo(folder, "a.jar");

    assertThatCode(() -> verify("ebb.tokens.policy = pyramidkv")).doesNotThrowAnyException();
    assertThatCode(() -> verify("ebb.tokens.policy = adakv")).doesNotThrowAnyException();
    assertThat(problems("ebb.tokens.policy = adakw"))
        .containsExactly(
            at(1)
                + "ebb.tokens.policy: no token policy named 'adakw'; available: [snapkv, none]"
                + INSTALL);
  }

  @Test
  void settingsOfAPolicyWhoseJarWasRefusedDoNotPreventServing() {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(folder, "a.jar");
    PluginJarBuilder.plugin("lfu").version("1").policy("lfu").writeTo(folder, "b.jar");

    assertThatCode(() -> verify("ebb.eviction.policies { lfu { size = 0 } }"))
        .doesNotThrowAnyException();
  }

  @Test
  void aRightConfigurationIsFine() {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(folder, "a.jar");

    assertThatCode(() -> verify("ebb { eviction.policy = none, tokens.policy = none }"))
        .doesNotThrowAnyException();
    assertThatCode(() -> verify("ebb.eviction.policy = lru")).doesNotThrowAnyException();
  }

  private List<String> problems(String config) {
    try {
      verify(config);
      return List.of();
    } catch (UserError error) {
      return error.messages();
    }
  }

  @Test
  void aHostWithoutItsFolderIsRefused() {
    assertThatThrownBy(() -> verify("ebb.plugins.folder = elsewhere"))
        .isInstanceOf(UserError.class)
        .hasMessageStartingWith("there is no plugin folder '" + home.resolve("elsewhere"));
  }

  private void verify(String config) {
    try (Host host = Host.open(Configs.of(home, config))) {
      host.verify();
    }
  }

  private String at(int line) {
    return home.resolve("ebb.conf") + ":" + line + ": ";
  }
}
