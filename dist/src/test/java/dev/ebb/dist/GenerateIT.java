package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.llama.testing.Engine;
import dev.ebb.llama.testing.JsonText;
import dev.ebb.llama.testing.TinyModel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ebb generate} from the runnable layout, with the shipped token policies' JAR. */
class GenerateIT {

  private static final String PROMPT = "the cat sat on the hat and the hen ate ten nets ".repeat(4);
  private static final int TERMINATED = 143;
  private static final Executor THREADS = task -> Thread.ofPlatform().daemon().start(task);

  @TempDir private Path directory;
  private Path model;

  @BeforeEach
  void makeModel() throws IOException {
    Engine.assumeRuns();
    model = new TinyModel().write(directory.resolve("tiny.gguf"));
  }

  private record Run(int exitCode, String out, String err) {}

  private Run generate(String... more) {
    List<String> all = new ArrayList<>(List.of("generate", "-m", model.toString(), "-t", "1"));
    all.addAll(List.of("--prompt", PROMPT));
    all.addAll(List.of(more));
    return run(Ebb.ROOT.resolve("ebb").toString(), all.toArray(String[]::new));
  }

  private Run run(String program, String... arguments) {
    try {
      Process process = start(program, arguments);
      CompletableFuture<String> out = read(process.getInputStream());
      CompletableFuture<String> err = read(process.getErrorStream());
      await(process);
      return new Run(process.exitValue(), out.join(), err.join());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private Process start(String program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().put("EBB_JAVA_HOME", System.getProperty("java.home"));
    return builder.start();
  }

  private static void await(Process process) {
    try {
      if (!process.waitFor(5, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new AssertionError("it did not end");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  private static CompletableFuture<String> read(InputStream stream) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
          } catch (IOException failed) {
            throw new UncheckedIOException(failed);
          }
        },
        THREADS);
  }

  @ParameterizedTest
  @CsvSource({"sliding-window,680", "h2o,200", "tova,200", "snapkv(window=8),200"})
  void keepsAShippedPolicysWindow(String policy, int tokens) {
    Run run =
        generate(
            "--max-tokens",
            String.valueOf(tokens),
            "--context",
            "256",
            "--eviction-policy",
            policy,
            "--eviction-window",
            "68",
            "--json");

    assertThat(run.exitCode).as(run.err).isZero();
    assertThat(JsonText.field(run.out, "generatedTokens")).isEqualTo(String.valueOf(tokens));
    assertThat(JsonText.field(run.out, "cellsUsed")).isEqualTo("68");
    int prompt = Integer.parseInt(JsonText.field(run.out, "promptTokens"));
    assertThat(JsonText.field(run.out, "evictedTokens"))
        .isEqualTo(String.valueOf(prompt + tokens - 1 - 68));
    assertThat(JsonText.field(run.out, "text")).isNotBlank();
  }

  @Test
  void answersTheSameWithAPolicyThatNeverRuns() {
    Run none = generate("--max-tokens", "40");
    Run idle =
        generate("-n", "40", "--eviction-policy", "sliding-window", "--eviction-window", "2000");

    assertThat(none.exitCode).as(none.err).isZero();
    assertThat(idle.out).isNotBlank().isEqualTo(none.out);
    assertThat(none.err).contains("eviction   none: 0 tokens dropped");
    assertThat(idle.err).contains("eviction   sliding-window: 0 tokens dropped");
  }

  @Test
  void usesAPolicyOfOthersByItsName() throws IOException {
    Path plugins = Files.createDirectory(directory.resolve("plugins"));
    Files.setPosixFilePermissions(plugins, PosixFilePermissions.fromString("rwxr-xr-x"));
    Run built =
        run("sh", Ebb.ROOT.resolve("examples/build.sh").toString(), "key-norm", plugins.toString());
    assertThat(built.exitCode).as(built.err).isZero();
    Files.writeString(
        directory.resolve("ebb.conf"),
        """
        ebb.plugins { folder = "%s", run = "%s" }
        ebb.tokens { policy = key-norm, window = 48, policies.key-norm.recent = 8 }
        """
            .formatted(plugins, directory.resolve("run")));

    Run run = generate("--max-tokens", "100", "--json");

    assertThat(run.exitCode).as(run.err).isZero();
    assertThat(JsonText.field(run.out, "evictionPolicy")).isEqualTo("key-norm");
    assertThat(JsonText.field(run.out, "cellsUsed")).isEqualTo("48");
  }

  @Test
  void reportsAMistakeInOneLine() throws IOException {
    Run unknown = generate("--eviction-policy", "sliding-windw");
    assertThat(unknown.exitCode).isEqualTo(1);
    assertThat(unknown.err)
        .contains("--eviction-policy", "'sliding-windw'", "sliding-window")
        .hasLineCount(1);

    Files.writeString(model, "no model");
    Run text = generate();
    assertThat(text.exitCode).isEqualTo(1);
    assertThat(text.err).contains("is not a GGUF file").hasLineCount(1);
  }

  @Test
  void endsWhenItIsAskedTo() throws IOException {
    Process process =
        start(
            Ebb.ROOT.resolve("ebb").toString(),
            "generate",
            "-m",
            model.toString(),
            "--prompt",
            PROMPT,
            "-n",
            "100000000",
            "--eviction-policy",
            "h2o",
            "--eviction-window",
            "64");
    CompletableFuture<String> err = read(process.getErrorStream());
    try (BufferedReader out = process.inputReader()) {
      assertThat(out.read()).as("the answer has begun").isNotNegative();
      CompletableFuture<Void> rest =
          CompletableFuture.runAsync(() -> out.lines().forEach(line -> {}), THREADS);
      // The process itself would close what is still to be read.
      process.toHandle().destroy();
      await(process);
      rest.join();
    }
    assertThat(process.exitValue()).isEqualTo(TERMINATED);
    assertThat(err.join()).contains("ended by stopped").contains("eviction   h2o: ");
    try (var files = Files.list(directory)) {
      assertThat(files).noneMatch(file -> file.getFileName().toString().startsWith("hs_err"));
    }
  }

  @Test
  void helpHasExamples() {
    Run help = run(Ebb.ROOT.resolve("ebb").toString(), "generate", "--help");

    assertThat(help.exitCode).isZero();
    assertThat(help.out)
        .contains("ebb generate --model", "--eviction-policy", "--eviction-window")
        .contains("--memory-threshold", "Examples:");
  }
}
