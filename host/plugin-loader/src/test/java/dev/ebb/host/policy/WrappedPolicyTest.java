package dev.ebb.host.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.config.Configs;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.wiring.Host;
import dev.ebb.spi.BlockPolicy;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A policy of one JAR that wraps a policy of another. */
class WrappedPolicyTest {

  @TempDir private Path home;
  private Host host;

  @BeforeEach
  void open() {
    Path folder = Configs.plugins(home);
    guard().writeTo(folder, "guard.jar");
    PluginJarBuilder.plugin("inner")
        .policy("lru", "context.settings().integer(\"size\", 4, 1, 10);")
        .writeTo(folder, "lru.jar");
    host = Host.open(Configs.defaults(home));
  }

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void receivesEventsAndAnswers() {
    StrategyInstance<BlockPolicy<?>> made = guard("lru");
    InlineBlockCache cache = new InlineBlockCache(4, () -> 0, new GhostWindow(1), OnFault.FAIL);
    cache.install(StrategyInstance.candidate("guard", made));
    for (long key = 1; key <= 10; key++) {
      assertThat(cache.reserve(1, RequestFacts.UNKNOWN)).isTrue();
      cache.insert(key, key, 1, RequestFacts.UNKNOWN);
    }

    assertThat(cache.policySize()).isEqualTo(4);
    assertThat(cache.find(10, 10)).isNotNull();
    assertThat(cache.find(6, 6)).isNull();
    cache.close();
  }

  @Test
  void keepsBothPluginsLoaded() {
    try (StrategyInstance<BlockPolicy<?>> made = guard("lru")) {
      assertThat(made.version().plugin()).isEqualTo("guard");
      assertThat(made.uses()).extracting(StrategyVersion::plugin).containsExactly("inner");
    }
  }

  @Test
  void hasSettingsOfItsOwn() {
    guard("lru(size=9)").close();

    assertThatThrownBy(() -> guard("lru(size=99)")).hasMessageContaining("size", "99");
    assertThatThrownBy(() -> guard("lru(weight=1)")).hasMessageContaining("weight");
  }

  @Test
  void thatDoesNotExistIsASettingsMistake() {
    assertThatThrownBy(() -> guard("lur")).hasMessageContaining("lur").hasMessageContaining("lru");
  }

  @Test
  void cannotBeTheWrapperItself() {
    assertThatThrownBy(() -> guard("guard"))
        .hasMessageContaining("policy 'guard' would contain itself (guard)");
  }

  private StrategyInstance<BlockPolicy<?>> guard(String wrapped) {
    PolicySpec spec = PolicySpec.parse("guard(wraps=\"%s\")".formatted(wrapped), "test");
    return host.policies().create(spec, new PolicyPartition("default", 4, () -> 0, 1));
  }

  private static PluginJarBuilder guard() {
    return PluginJarBuilder.plugin("guard")
        .provider(
            "acme.Guard",
            """
            package acme;

            import dev.ebb.spi.*;

            public final class Guard implements BlockPolicyProvider {
              public String name() { return "guard"; }

              @SuppressWarnings("unchecked")
              public BlockPolicy<?> create(PolicyContext context) {
                String wraps = context.settings().string("wraps", "lru");
                return new Policy<>((BlockPolicy<Object>) context.policy(wraps));
              }

              record Policy<N>(BlockPolicy<N> inner) implements BlockPolicy<N> {
                public N inserted(Entry entry) { return inner.inserted(entry); }

                public void accessed(N node) { inner.accessed(node); }

                public Entry victim(Demand demand) { return inner.victim(demand); }

                public void removed(N node, RemovalCause cause) { inner.removed(node, cause); }

                public void refused(N node) { inner.refused(node); }

                public void released(N node) { inner.released(node); }

                public long size() { return inner.size(); }

                public void close() { inner.close(); }
              }
            }
            """);
  }
}
