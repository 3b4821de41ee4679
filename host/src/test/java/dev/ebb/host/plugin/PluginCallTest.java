package dev.ebb.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.SettingException;
import java.nio.file.Path;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginCallTest {

  @TempDir private Path home;
  private Generation generation;
  private BlockPolicyProvider provider;

  @BeforeEach
  void load() {
    generation = Generations.load(PluginJarBuilder.plugin("acme").policy("lru"), home, "a.jar");
    provider = Generations.provider(generation);
  }

  @AfterEach
  void unload() {
    generation.close();
  }

  @Test
  void theContextClassLoaderIsThePluginsMeanwhile() {
    ClassLoader before = Thread.currentThread().getContextClassLoader();

    ClassLoader meanwhile =
        PluginCall.call(provider, "x", () -> Thread.currentThread().getContextClassLoader());

    assertThat(meanwhile).isSameAs(provider.getClass().getClassLoader()).isNotSameAs(before);
    assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
  }

  @Test
  void theContextClassLoaderIsRestoredAfterAFailure() {
    ClassLoader before = Thread.currentThread().getContextClassLoader();

    assertThatThrownBy(() -> PluginCall.call(provider, "x", PluginCallTest::fail))
        .isInstanceOf(PluginFailure.class);

    assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
  }

  @Test
  void aFailureIsTextWithTheStackItCameFrom() {
    assertThatThrownBy(() -> PluginCall.call(provider, "policy 'lru' failed", PluginCallTest::fail))
        .isInstanceOf(PluginFailure.class)
        .hasMessage("policy 'lru' failed: java.lang.StackOverflowError: deep")
        .hasNoCause()
        .hasNoSuppressedExceptions()
        .asInstanceOf(InstanceOfAssertFactories.type(PluginFailure.class))
        .satisfies(failure -> {
          assertThat(failure.getStackTrace()).isEmpty();
          assertThat(failure.stack()).contains("PluginCallTest.fail");
        });
  }

  @Test
  void aWrongSettingStaysAWrongSetting() {
    assertThatThrownBy(() ->
            PluginCall.call(
                provider,
                "x",
                () -> {
                  throw new SettingException("it is wrong");
                }))
        .isExactlyInstanceOf(SettingException.class)
        .hasMessage("it is wrong");
  }

  private static Object fail() {
    throw new StackOverflowError("deep");
  }
}
