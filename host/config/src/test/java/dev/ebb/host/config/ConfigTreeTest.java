package dev.ebb.host.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.hocon.ConfigOverride;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigTreeTest {

  private static final String ADMIN = ConfigOverride.ADMIN;

  @TempDir private Path home;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lru",
        "lfu",
        "lfu(ageing = none)",
        "lfu(window = 7, nested.share = 0.5, ageing = null)",
        "auto(policies = [lru, \"lfu(ageing=none)\"])"
      })
  void aPolicyIsRecordedAsIfAllWereReadAgain(String policy) {
    LoadedConfig before =
        Configs.of(
            home,
            """
            ebb.eviction.policies { lfu { ageing = dynamic, plugin = acme }, arc = null }
            ebb.eviction { threshold = 0.5, target = 0.4 }
            """);
    PolicySpec wanted = PolicySpec.parse(policy, "policy");

    LoadedConfig next = before.tree().with(before.config(), wanted, ADMIN);
    LoadedConfig readAgain = before.tree().with(wanted.overrides(ADMIN));

    assertThat(next.config()).isEqualTo(readAgain.config());
    assertThat(next.tree().entries()).isEqualTo(readAgain.tree().entries());
    assertThat(next.tree().entries())
        .allMatch(entry -> entry.value().equals(next.tree().value(entry.key())));
  }

  @Test
  void aValueBelowASectionIsFoundByIt() {
    List<String> below =
        List.of("ebb.eviction.policies.lfu.ageing", "ebb.eviction.policies.\"a.b\".c");

    assertThat(below)
        .allMatch(key -> ConfigKeys.find(key).orElseThrow() == EvictionConfig.POLICIES);
    assertThat(ConfigKeys.find("ebb.eviction.policy.lfu")).isEmpty();
    assertThat(ConfigKeys.find("ebb.eviction")).isEmpty();
    assertThat(ConfigKeys.find("lfu")).isEmpty();
  }
}
