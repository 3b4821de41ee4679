package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.PluginFolderTest;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commands that take a JAR which is not installed. */
class JarOptionTest extends PluginFolderTest {

  private String config;

  @BeforeEach
  void dropPolicy() {
    PluginJarBuilder.plugin("acme").policy("oldest").writeTo(folder, "acme.jar");
    config = Configs.withPlugins(home).toString();
  }

  @Test
  void aReplayTakesAJar() {
    String jar = PluginJarBuilder.plugin("mine").policy("mine").writeTo(home, "m.jar").toString();

    Run run = replay("--jar", jar, "-p", "mine,oldest");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).containsPattern("(?m)^ +mine +[0-9.]+%").contains("oldest");
    assertThat(replay("--jar", jar).out()).contains("mine", "oldest");
    assertThat(folder).isDirectoryNotContaining("glob:**m.jar");
    assertThat(replay("-p", "mine").err()).contains("'mine'", "ebb plugins install", "--policies");
  }

  @Test
  void aSignalDeletesTheTemporaryFolder() throws Exception {
    Path temporary = Files.createDirectory(home.resolve("tmp"));
    String jar = PluginJarBuilder.plugin("mine").policy("mine").writeTo(home, "m.jar").toString();
    try (EbbProcess replay =
        EbbProcess.start(
            home,
            Map.of("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + temporary),
            arguments("500000000", "--jar", jar, "-p", "mine,oldest"))) {
      Awaiting.until(() -> !replay.isRunning() || candidates(temporary) > 0);
      assertThat(replay.isRunning()).as(replay.output()).isTrue();
      replay.terminate();

      assertThat(replay.exitCode()).as(replay.output()).isEqualTo(128 + 15);
      assertThat(candidates(temporary)).isZero();
    }
  }

  private static long candidates(Path temporary) {
    try (Stream<Path> files = Files.list(temporary)) {
      return files.filter(file -> file.getFileName().toString().contains("candidate")).count();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  @Test
  void aNewerJarReplacesTheInstalledOne() {
    String jar =
        PluginJarBuilder.plugin("acme")
            .version("2.0.0")
            .policy("youngest")
            .writeTo(home, "acme-2.jar")
            .toString();

    Run run = replay("--jar", jar);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("youngest").doesNotContain("oldest");
  }

  @Test
  void aRefusedJarIsReported() {
    String jar =
        PluginJarBuilder.plugin("mine")
            .policy("mine")
            .without("Plugin-Version")
            .writeTo(home, "m.jar")
            .toString();

    Run run = replay("--jar", jar);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("'m.jar'", "Plugin-Version");
    assertThat(replay("--jar", home + "/no.jar").err()).contains("no.jar' does not exist");
  }

  @Test
  void aServerHasItsOwnPlugins() {
    Run run = replay("--jar", "x.jar", "--through", "127.0.0.1:1");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--jar", "--through");
  }

  @Test
  void anEvaluationOfTokenPoliciesTakesAJar() {
    String jar =
        PluginJarBuilder.plugin("mine").tokenPolicy("newest").writeTo(home, "m.jar").toString();
    String[] eval = {
      "tokens", "eval", "--seeds", "2", "--tokens", "64", "--ratios", "50%", "--config", config
    };

    Run run = Run.of(with(eval, "--jar", jar, "--policies", "newest"));

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("newest");
    assertThat(Run.of(with(eval, "--policies", "newest")).err())
        .contains("'newest'", "ebb plugins install");
  }

  @Test
  void aJarThatTheCommandCannotUseIsRefused() {
    String tokens =
        PluginJarBuilder.plugin("mine").tokenPolicy("newest").writeTo(home, "t j.jar").toString();
    String blocks = PluginJarBuilder.plugin("my").policy("mine").writeTo(home, "b.jar").toString();
    String[] eval = {"tokens", "eval", "--seeds", "2", "--tokens", "64", "--config", config};

    assertThat(replay("--jar", tokens).err())
        .contains("'t j.jar'", "'ebb tokens eval --jar \"" + tokens + "\" --policies newest'");
    assertThat(Run.of(with(eval, "--jar", blocks)).err())
        .contains("'b.jar'", "token policies", "'ebb plugins bench " + blocks + "'");
  }

  @Test
  void aJarThatNoPolicyComesFromIsRefused() {
    String blocks = PluginJarBuilder.plugin("my").policy("mine").writeTo(home, "b.jar").toString();

    Run run = replay("--jar", blocks, "-p", "oldest");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--policies: 'oldest'", "'b.jar'", "[mine]");
  }

  private Run replay(String... more) {
    return Run.of(arguments("100", more));
  }

  private String[] arguments(String requests, String... more) {
    return with(
        new String[] {
          "replay", "--synthetic", "chat", "--requests", requests, "-c", "10%", "--config", config
        },
        more);
  }

  private static String[] with(String[] first, String... more) {
    String[] all = Arrays.copyOf(first, first.length + more.length);
    System.arraycopy(more, 0, all, first.length, more.length);
    return all;
  }
}
