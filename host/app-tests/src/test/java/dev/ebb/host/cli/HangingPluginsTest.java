package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins that never return where Ebb makes, asks or closes something: the rest goes on. */
class HangingPluginsTest {

  /** Goes on until the test is over, and heeds no interrupt. */
  private static final String GO_ON =
      """
      while (!Boolean.getBoolean("acme.over")) {
        try { Thread.sleep(20); } catch (InterruptedException unheeded) {}
      }
      """;

  private static final String LATE = "it did not return within 10 s, at acme.";

  @TempDir private Path home;

  @AfterEach
  void end() {
    System.setProperty("acme.over", "true");
  }

  @Test
  void areReportedAndDoNotAffectOthers() {
    System.clearProperty("acme.over");
    Path folder = Configs.plugins(home);
    PluginJarBuilder.plugin("ctor")
        .provider("acme.Ctor", provider("Ctor", GO_ON, "", ""))
        .writeTo(folder, "ctor.jar");
    PluginJarBuilder.plugin("create")
        .provider("acme.Create", provider("Create", "", GO_ON, ""))
        .writeTo(folder, "create.jar");
    PluginJarBuilder.plugin("close")
        .provider("acme.Close", provider("Close", "", "", GO_ON))
        .writeTo(folder, "close.jar");

    try (RunningEbb ebb = RunningEbb.start(home)) {
      assertThat(unwrapped(ebb.run("plugins", "list").out()))
          .contains("the constructor of acme.Ctor failed: " + LATE + "Ctor.<init>(Ctor.java:")
          .containsPattern("close 1.0.0 \\w+ loaded");

      assertThat(unwrapped(ebb.run("policy", "list", "--timeout", "60").out()))
          .contains("create: policy 'create' of plugin 'create' failed in create: " + LATE)
          .contains("close: policy 'close' failed in close: " + LATE);
      // Once lost, it is not waited for again.
      assertThat(unwrapped(ebb.run("policy", "list", "--timeout", "9").out()))
          .contains("failed in create: an earlier call of it has not returned yet");
      assertThat(ebb.run("policy", "set", "close", "--timeout", "9").err())
          .contains("an earlier call of it has not returned yet");
      assertThat(ebb.run("policy", "set", "second").out()).contains("'second' is active");
      assertThat(ebb.run("stats").exitCode()).isZero();
    }
  }

  @Test
  void aPolicyThatHangsInItsSelfTestIsNamedWithItsLine() {
    System.clearProperty("acme.over");
    Path folder = Configs.plugins(home);
    String rank = "protected double rank(Entry entry) { ";
    PluginJarBuilder.plugin("stuck")
        .provider("acme.Stuck", provider("Stuck", "", "", "").replace(rank, rank + GO_ON))
        .writeTo(folder, "stuck.jar");

    try (RunningEbb ebb = RunningEbb.start(home)) {
      assertThat(ebb.run("policy", "set", "stuck").err())
          .contains("policy 'stuck' did not end its self-test within 10 s, at ")
          .containsPattern("acme.Stuck.Policy.rank\\(Stuck.java:\\d+\\); its thread was abandoned");
      assertThat(ebb.run("stats").out()).doesNotContain("stuck");
    }
  }

  private static String unwrapped(String text) {
    return text.replaceAll("\\s+", " ");
  }

  private static String provider(
      String name, String inConstructor, String inCreate, String inClose) {
    return """
    package acme;

    import dev.ebb.spi.*;

    public final class %s implements BlockPolicyProvider {
      public %s() { %s }

      public String name() { return "%s"; }

      public BlockPolicy<?> create(PolicyContext context) {
        %s
        return new Policy();
      }

      static final class Policy extends RankedBlockPolicy {
        protected double rank(Entry entry) { return entry.createdTick(); }

        public void close() { %s }
      }
    }
    """
        .formatted(name, name, inConstructor, name.toLowerCase(Locale.ROOT), inCreate, inClose);
  }
}
