package dev.ebb.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.PluginFolderTest;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.PluginJarBuilder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PluginCatalogTest extends PluginFolderTest {

  private final List<PluginHost> hosts = new ArrayList<>();

  @AfterEach
  void unload() {
    hosts.forEach(PluginHost::close);
  }

  @Test
  void anUnknownNameIsAnsweredWithTheNearest() {
    PluginJarBuilder.plugin("one").policy("arc").policy("lru").writeTo(folder, "a.jar");
    PluginJarBuilder.plugin("two").policy("sieve").writeTo(folder, "b.jar");

    assertThatThrownBy(() -> catalog("").strategy(StrategyKind.POLICY, "lur"))
        .isInstanceOf(UserError.class)
        .hasMessage(
            "no policy named 'lur' (did you mean 'lru'?); available: [arc, lru, sieve, auto,"
                + " none]");
  }

  @Test
  void anUnknownNameOfAnotherKindOfPolicyIsAnsweredWithThatKind() {
    PluginJarBuilder.plugin("one")
        .policy("lru")
        .tokenPolicy("sliding-window")
        .writeTo(folder, "a.jar");
    PluginCatalog catalog = catalog("");

    assertThatThrownBy(() -> catalog.strategy(StrategyKind.POLICY, "streaming-llm"))
        .hasMessageContaining("'streaming-llm' (Ebb has it as the token policy 'sliding-window')");
    assertThatThrownBy(() -> catalog.strategy(StrategyKind.TOKEN_POLICY, "allkeys-lru"))
        .hasMessageContaining("'allkeys-lru' (Ebb has it as the policy 'lru')");
    assertThatThrownBy(() -> catalog.strategy(StrategyKind.POLICY, "attention-heavy"))
        .hasMessageNotContaining("Ebb has it");
  }

  @Test
  void aNameWithSettingsIsAnsweredWithTheirKey() {
    assertThatThrownBy(() -> catalog("").strategy(StrategyKind.POLICY, "lfu(ageing=none)"))
        .hasMessageContaining("'lfu(ageing=none)'; write 'lfu' alone")
        .hasMessageContaining("ebb.eviction.policies.lfu");
  }

  @Test
  void theFallbackIsNotUnknown() {
    assertThatThrownBy(() -> catalog("").strategy(StrategyKind.POLICY, "builtin-lru"))
        .hasMessageContaining("'builtin-lru' is the fallback after a fault");
  }

  @Test
  void anUnknownNameOfOtherSoftwareIsAnsweredWithEbbs() {
    PluginJarBuilder.plugin("one")
        .policy("lru")
        .tokenPolicy("sliding-window")
        .writeTo(folder, "a.jar");

    assertThatThrownBy(() -> catalog("").strategy(StrategyKind.POLICY, "allkeys-lru"))
        .hasMessageContaining("'allkeys-lru'")
        .hasMessageContaining("'lru'");
    assertThatThrownBy(() -> catalog("").strategy(StrategyKind.TOKEN_POLICY, "streaming-llm"))
        .hasMessageContaining("'sliding-window'");
  }

  @Test
  void anUnknownNameWithoutAHintSaysHowToInstallItsJar() {
    assertThatThrownBy(() -> catalog("").strategy(StrategyKind.POLICY, "mine"))
        .hasMessageContaining("'mine'")
        .hasMessageContaining("ebb plugins install");
  }

  @Test
  void anUnknownNameMentionsRefusedJars() {
    PluginJarBuilder.plugin("one").writeTo(folder, "a.jar");

    assertThatThrownBy(() -> catalog("").strategy(StrategyKind.POLICY, "lru"))
        .hasMessage(
            "no policy named 'lru'; available: [auto, none]; JARs refused: 1, see 'ebb plugins"
                + " list'");
  }

  @Test
  void anUnknownNameMentionsAJarInWhosePlaceAnotherIsLoaded() {
    PluginJarBuilder.plugin("one").policy("lru").writeTo(folder, "a.jar");
    PluginJarBuilder.plugin("one").version("9.0.0").policy("good").writeTo(folder, "b.jar");
    PluginJarBuilder.plugin("one").version("9.0.0").policy("good").writeTo(folder, "copy.jar");

    assertThatThrownBy(() -> catalog("").strategy(StrategyKind.POLICY, "lru"))
        .hasMessage(
            "no policy named 'lru'; available: [good, auto, none]; a.jar may offer it, but is not"
                + " loaded: b.jar has the higher version 9.0.0 and serves");
  }

  @Test
  void aPolicyIsNoTokenPolicy() {
    PluginJarBuilder.plugin("one").policy("lru").writeTo(folder, "a.jar");

    assertThatThrownBy(() -> catalog("").strategy(StrategyKind.TOKEN_POLICY, "lru"))
        .hasMessage("'lru' is a policy, and here a token policy is needed; available: [none]");
  }

  @Test
  void aNameThatTwoPluginsOfferIsAmbiguous() {
    offerTwice();
    PluginCatalog catalog = catalog("");
    String ambiguous =
        "the policy name 'lru' is ambiguous: plugins [one, two] offer it; set"
            + " ebb.eviction.policies.lru.plugin to one of them";

    assertThatThrownBy(() -> catalog.strategy(StrategyKind.POLICY, "lru")).hasMessage(ambiguous);
    assertThat(catalog.names(StrategyKind.POLICY)).containsExactly("arc");
    assertThat(catalog.undecided(StrategyKind.POLICY).values()).containsExactly(ambiguous);
    assertThat(catalog.reports())
        .allSatisfy(report -> assertThat(report.state()).isEqualTo(PluginState.LOADED))
        .allSatisfy(report -> assertThat(report.reason()).isEqualTo(ambiguous));
  }

  @Test
  void theConfigurationSaysWhichPluginServesAnAmbiguousName() {
    offerTwice();
    PluginCatalog catalog = catalog("ebb.eviction.policies.lru.plugin = two");

    assertThat(catalog.strategy(StrategyKind.POLICY, "lru").pluginId()).isEqualTo("two");
    assertThat(catalog.names(StrategyKind.POLICY)).containsExactly("arc", "lru");
    assertThat(catalog.reports())
        .extracting(PluginReport::reason)
        .containsExactly("the policy 'lru' is served by plugin 'two'", "");
  }

  @Test
  void aChosenPluginThatDoesNotOfferTheNameIsAnError() {
    offerTwice();

    assertThatThrownBy(() ->
            catalog("ebb.eviction.policies.lru.plugin = tow").strategy(StrategyKind.POLICY, "lru"))
        .hasMessage(
            "ebb.eviction.policies.lru.plugin = 'tow' (did you mean 'two'?), but that plugin offers"
                + " no policy 'lru'; plugins that do: [one, two]");
  }

  private void offerTwice() {
    PluginJarBuilder.plugin("one").policy("lru").policy("arc").writeTo(folder, "a.jar");
    PluginJarBuilder.plugin("two").policy("lru").writeTo(folder, "b.jar");
  }

  private PluginCatalog catalog(String config) {
    PluginHost host = new PluginHost(Configs.of(home, config).orThrow());
    hosts.add(host);
    host.open();
    return host.catalog();
  }
}
