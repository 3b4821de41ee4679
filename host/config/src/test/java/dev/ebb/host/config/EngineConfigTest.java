package dev.ebb.host.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.engine.EngineConfig;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineConfigTest {

  @TempDir private Path home;

  private LoadedConfig load(String text) {
    return Configs.of(home, text);
  }

  @Test
  void keysNameTheirTenants() {
    EngineConfig engine =
        load("ebb.engine.tenants { ann.api-key = sk-1, \"bob.b\" { api-key = sk-2 } }")
            .orThrow()
            .engine();
    assertThat(engine.apiKeys()).containsOnly(Map.entry("sk-1", "ann"), Map.entry("sk-2", "bob.b"));
    assertThat(engine.sharePrefixes()).isFalse();
    assertThat(engine.toString()).contains("2 API keys").doesNotContain("sk-");
  }

  @Test
  void theKeyOfPeersIsNotShown() {
    LoadedConfig loaded =
        load("ebb.engine { role = decode, prefill = \"http://a:1\", peer-key = sk-9 }");
    EngineConfig engine = loaded.orThrow().engine();
    assertThat(engine.role()).isEqualTo(EngineConfig.Role.DECODE);
    assertThat(engine.peerKey()).isEqualTo("sk-9");
    assertThat(engine.toString()).contains("http://a:1").doesNotContain("sk-9");
    assertThat(loaded.tree().entries()).noneMatch(entry -> "sk-9".equals(entry.value()));
  }

  @Test
  void keysAreNotShown() {
    LoadedConfig loaded = load("ebb.engine.tenants { ann.api-key = sk-1 }");
    assertThat(loaded.tree().entries())
        .anySatisfy(entry -> {
          assertThat(entry.key()).isEqualTo("ebb.engine.tenants.ann.api-key");
          assertThat(entry.value()).isEqualTo("(set)");
        });
  }

  @Test
  void mistakesAreExplainedWithoutTheKey() {
    String text =
        "ebb.engine.tenants { ann.api-key = sk-1, bob.api-key = sk-1, eve {}, eve.key = sk-1 }";
    assertThat(load(text).problems())
        .hasSize(3)
        .allSatisfy(problem -> assertThat(problem).doesNotContain("sk-1"))
        .anySatisfy(problem -> assertThat(problem).contains("bob", "another tenant"))
        .anySatisfy(problem -> assertThat(problem).contains("eve", "needs an api-key"));
    assertThat(load("ebb.engine.tenants.ann = sk-1").problems())
        .singleElement()
        .asString()
        .doesNotContain("sk-1");
  }
}
