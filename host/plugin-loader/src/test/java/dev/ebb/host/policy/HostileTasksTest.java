package dev.ebb.host.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.plugin.CollectedLoaders;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.testing.Histories;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.wiring.Host;
import dev.ebb.spi.BlockPolicy;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Background tasks of real JARs that leak, throw or never end, and what is left of their JAR. */
class HostileTasksTest {

  private static final int CYCLES = Histories.times(6);

  @TempDir private Path home;
  private final CollectedLoaders loaders = new CollectedLoaders();

  @AfterEach
  void end() {
    System.clearProperty("acme.over");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Thread.sleep(600_000); return 1;",
        "throw new Exception() { public String getMessage() { throw new Error(); } };",
        "throw new Error() {};",
        "new ThreadLocal<Object>().set(new Policy()); return new Policy();",
        "Thread.currentThread().setUncaughtExceptionHandler((t, e) -> new Policy()); return 1;",
        "Thread.currentThread().setName(\"mine\"); Thread.currentThread().interrupt(); return 1;",
        "return own.submit(() -> new Policy(), done -> {});"
      })
  void leaveNothingInMemory(String body) throws Exception {
    jar(body);
    for (int i = 0; i < CYCLES; i++) {
      cycle();
    }

    loaders.assertAllCollected();
  }

  @Test
  void thatNeverEndAreAbandonedUntilTheyDo() throws Exception {
    jar(
        """
        while (!Boolean.getBoolean("acme.over")) {
          try { Thread.sleep(20); } catch (InterruptedException unheeded) {}
        }
        return Class.forName("acme.LruProvider$Policy").getName();
        """);
    cycle();

    assertThat(threads()).contains("ebb-background-abandoned-lru");
    loaders.assertNoneCollected();
    System.setProperty("acme.over", "true");
    loaders.assertAllCollected();
    assertThat(threads()).doesNotContain("ebb-background-abandoned-lru");
  }

  @Test
  void areNotAcceptedOnceThePolicyIsClosed() throws Exception {
    PluginJarBuilder.plugin("acme")
        .policy("lru", "System.getProperties().put(\"acme.background\", context.background());")
        .writeTo(Configs.plugins(home), "a.jar");
    try (Host host = Host.open(Configs.defaults(home))) {
      host.policies()
          .create(PolicySpec.of("lru"), new PolicyPartition("default", 10, () -> 0, 1))
          .close();
      BackgroundTasks late = (BackgroundTasks) System.getProperties().remove("acme.background");

      assertThat(late.submit(() -> 1, done -> {})).isFalse();
    }
  }

  @Test
  void areRefusedAfterCreate() throws Exception {
    PluginJarBuilder.plugin("acme")
        .policy("lru", "System.getProperties().put(\"acme.context\", context);")
        .writeTo(Configs.plugins(home), "a.jar");
    try (Host host = Host.open(Configs.defaults(home));
        StrategyInstance<BlockPolicy<?>> made =
            host.policies()
                .create(PolicySpec.of("lru"), new PolicyPartition("default", 10, () -> 0, 1))) {
      HostContext kept = (HostContext) System.getProperties().remove("acme.context");

      assertThatThrownBy(kept::background).hasMessageContaining("before create() returns");
      assertThat(made.betweenEvents()).isNull();
    }
  }

  private void jar(String body) throws Exception {
    PluginJarBuilder.plugin("acme")
        .policy(
            "lru",
            "Background own = context.background(); own.submit(() -> { %s }, done -> {});"
                .formatted(body))
        .writeTo(Configs.plugins(home), "a.jar");
  }

  private void cycle() {
    try (Host host = Host.open(Configs.defaults(home))) {
      StrategyInstance<BlockPolicy<?>> made =
          host.policies()
              .create(PolicySpec.of("lru"), new PolicyPartition("default", 10, () -> 0, 1));
      loaders.add(made.value());
      made.close();
    } catch (PluginFailure atFault) {
      throw new AssertionError(atFault);
    }
  }

  private static Set<String> threads() {
    Set<String> names = new HashSet<>();
    Thread.getAllStackTraces().keySet().forEach(thread -> names.add(thread.getName()));
    return names;
  }
}
