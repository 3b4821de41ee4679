package dev.ebb.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.SettingException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
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

  @Test
  void aCallThatDoesNotReturnIsLeftAloneAndIsNotRepeatedBeforeItHas() throws Exception {
    CountDownLatch let = new CountDownLatch(1);
    Duration soon = Duration.ofSeconds(1);
    assertThatThrownBy(() -> PluginCall.bounded(soon, provider, "close failed", () -> waitFor(let)))
        .isInstanceOf(PluginFailure.class)
        .hasMessage("close failed: it did not return within 1 s")
        .asInstanceOf(InstanceOfAssertFactories.type(PluginFailure.class))
        .satisfies(failure -> assertThat(failure.stack()).contains("PluginCallTest.waitFor"));
    assertThatThrownBy(() -> PluginCall.bounded(provider, "create failed", () -> "made"))
        .hasMessageContaining("create failed: an earlier call of it has not returned yet");

    let.countDown();
    Awaiting.until(() -> {
      try {
        return PluginCall.bounded(provider, "x", () -> "made").equals("made");
      } catch (PluginFailure notYet) {
        return false;
      }
    });
  }

  @Test
  void aBoundedCallIsLikeAnother() {
    assertThat(
            PluginCall.<ClassLoader>bounded(
                provider, "x", () -> Thread.currentThread().getContextClassLoader()))
        .isSameAs(provider.getClass().getClassLoader());
    assertThatThrownBy(() -> PluginCall.bounded(provider, "it failed", PluginCallTest::fail))
        .hasMessage("it failed: java.lang.StackOverflowError: deep");
    Thread.currentThread().interrupt();
    assertThat(PluginCall.bounded(provider, "x", () -> 1)).isEqualTo(1);
    assertThat(Thread.interrupted()).isTrue();
  }

  /** Does not heed an interrupt, as a loop does not. */
  private static Object waitFor(CountDownLatch let) {
    while (true) {
      try {
        let.await();
        return let;
      } catch (InterruptedException ignored) {
        // Goes on.
      }
    }
  }

  private static Object fail() {
    throw new StackOverflowError("deep");
  }
}
