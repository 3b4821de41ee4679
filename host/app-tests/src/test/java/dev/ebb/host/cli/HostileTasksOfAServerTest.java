package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Background tasks that never end, throw or train, while a server runs. */
class HostileTasksOfAServerTest {

  @TempDir private Path home;

  @AfterEach
  void end() {
    System.setProperty("acme.over", "true");
  }

  @Test
  void affectNeitherClientsNorLaterPolicies() throws IOException {
    System.clearProperty("acme.over");
    training(
        "endless",
        """
        while (!Boolean.getBoolean("acme.over")) {
          try { Thread.sleep(20); } catch (InterruptedException unheeded) {}
        }
        return 1;
        """);
    training("throwing", "throw new Error(\"no model\");");
    training("learning", "return Thread.currentThread().isDaemon() ? 2 : 0;");

    try (RunningEbb ebb = RunningEbb.start(home)) {
      for (String policy : new String[] {"endless", "throwing", "learning"}) {
        assertThat(ebb.run("policy", "set", policy).out()).contains("'" + policy + "' is active");
        fill(ebb, policy);
        assertThat(ebb.run("stats").exitCode()).isZero();
      }
      // The self-test has received results too.
      System.clearProperty("acme.learned");
      assertThat(learned(ebb)).isEqualTo("ebb-policy-learning");
      Files.delete(Configs.plugins(home).resolve("endless.jar"));
      assertThat(ebb.run("plugins", "reload").exitCode()).isZero();
      assertThat(ebb.run("policy", "set", "second").out()).contains("'second' is active");
      assertThat(ebb.run("policy", "show").out()).doesNotContain("quarantine");
    }
  }

  /** Each value is an event for the policy, which submits a task. */
  private static void fill(RunningEbb ebb, String policy) {
    for (int i = 0; i < 10; i++) {
      ebb.put(policy + i, 1_000);
    }
    assertThat(ebb.jedis().exists(policy + 9)).isTrue();
  }

  /** Returns the name of the thread that received a result. */
  private static String learned(RunningEbb ebb) {
    long deadline = System.nanoTime() + 30_000_000_000L;
    for (int i = 0; System.getProperty("acme.learned") == null; i++) {
      assertThat(System.nanoTime()).as("no result was handed back").isLessThan(deadline);
      ebb.put("more" + i % 40, 1_000);
    }
    return System.clearProperty("acme.learned");
  }

  private void training(String name, String task) {
    String type = name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    PluginJarBuilder.plugin(name)
        .provider(
            "acme." + type,
            """
            package acme;

            import dev.ebb.spi.*;
            import java.util.*;

            public final class %s implements BlockPolicyProvider {
              public String name() { return "%s"; }

              public BlockPolicy<?> create(PolicyContext context) {
                Background background = context.background();
                return new RankedBlockPolicy() {
                  protected double rank(Entry entry) {
                    background.<Integer>submit(() -> { %s }, this::trained);
                    return entry.createdTick();
                  }

                  private void trained(int model) {
                    System.setProperty("acme.learned", Thread.currentThread().getName());
                  }
                };
              }
            }
            """
                .formatted(type, name, task))
        .writeTo(Configs.plugins(home), name + ".jar");
  }
}
