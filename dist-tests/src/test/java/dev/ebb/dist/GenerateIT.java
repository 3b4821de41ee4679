package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.llama.testing.Engine;
import dev.ebb.llama.testing.TinyModel;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code ebb generate} from the runnable layout, with the shipped token policies' JAR. */
class GenerateIT {

  private static final String PROMPT = "the cat sat on the hat and the hen ate ten nets ".repeat(4);
  private static final int TERMINATED = 143;

  @TempDir private Path directory;
  private Path model;
  private Ebb ebb;

  @BeforeEach
  void makeModel() throws IOException {
    Engine.assumeRuns();
    ebb = new Ebb(directory);
    model = new TinyModel().write(directory.resolve("tiny.gguf"));
  }

  private String[] arguments(String... more) {
    List<String> all = new ArrayList<>(List.of("generate", "-m", model.toString(), "-t", "1"));
    all.addAll(List.of("--prompt", PROMPT));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private Ebb.Run generate(String... more) {
    return ebb.run(arguments(more));
  }

  /** In one process, which takes longer to start than to generate. */
  @Test
  void keepsAShippedPolicysWindow() throws Exception {
    Map<String, Integer> tokens = new LinkedHashMap<>();
    tokens.put("sliding-window", 680);
    tokens.put("h2o", 200);
    tokens.put("tova", 200);
    tokens.put("snapkv(window=8)", 200);
    CommandSeries commands = new CommandSeries(directory);
    tokens.forEach((policy, most) -> {
      commands.add(
          arguments(
              "--max-tokens",
              most.toString(),
              "--context",
              "256",
              "--eviction-policy",
              policy,
              "--eviction-window",
              "68",
              "--json"));
    });

    List<Ebb.Run> runs = commands.run();

    int at = 0;
    for (int most : tokens.values()) {
      Ebb.Run run = runs.get(at++);
      assertThat(run.exitCode()).as(run.err()).isZero();
      JsonNode report = run.json();
      assertThat(report.get("generatedTokens").intValue()).isEqualTo(most);
      assertThat(report.get("cellsUsed").intValue()).isEqualTo(68);
      assertThat(report.get("evictedTokens").intValue())
          .isEqualTo(report.get("promptTokens").intValue() + most - 1 - 68);
      assertThat(report.get("text").stringValue()).isNotBlank();
    }
  }

  @Test
  void answersTheSameWithAPolicyThatNeverRuns() {
    Ebb.Run none = generate("--max-tokens", "40");
    Ebb.Run idle =
        generate("-n", "40", "--eviction-policy", "sliding-window", "--eviction-window", "2000");

    assertThat(none.exitCode()).as(none.err()).isZero();
    assertThat(idle.out()).isNotBlank().isEqualTo(none.out());
    assertThat(none.err()).contains("eviction   none: 0 tokens dropped");
    assertThat(idle.err()).contains("eviction   sliding-window: 0 tokens dropped");
  }

  @Test
  void usesAPolicyOfOthersByItsName() throws IOException {
    Path plugins = Files.createDirectory(directory.resolve("plugins"));
    Files.setPosixFilePermissions(plugins, PosixFilePermissions.fromString("rwxr-xr-x"));
    String script = Ebb.ROOT.resolve("examples/build.sh").toString();
    Shell.run(directory, "sh", script, "key-norm", plugins.toString());
    Files.writeString(
        directory.resolve("ebb.conf"),
        """
        ebb.plugins { folder = "%s", run = "%s" }
        ebb.tokens { policy = key-norm, window = 48, policies.key-norm.recent = 8 }
        """
            .formatted(plugins, directory.resolve("run")));

    Ebb.Run run = generate("--max-tokens", "100", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("evictionPolicy").stringValue()).isEqualTo("key-norm");
    assertThat(run.json().get("cellsUsed").intValue()).isEqualTo(48);
  }

  @Test
  void reportsAMistakeInOneLine() throws IOException {
    Ebb.Run unknown = generate("--eviction-policy", "sliding-windw");
    assertThat(unknown.exitCode()).isEqualTo(1);
    assertThat(unknown.err())
        .contains("--eviction-policy", "'sliding-windw'", "sliding-window")
        .hasLineCount(1);

    Files.writeString(model, "no model");
    Ebb.Run text = generate();
    assertThat(text.exitCode()).isEqualTo(1);
    assertThat(text.err()).contains("is not a GGUF file").hasLineCount(1);
  }

  @Test
  void endsWhenItIsAskedTo() throws Exception {
    String[] endless = {
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
      "64"
    };
    Path err = directory.resolve("err");
    Process process = ebb.builder(endless).redirectError(err.toFile()).start();
    try (BufferedReader out = process.inputReader()) {
      assertThat(out.read()).as("the answer has begun").isNotNegative();
      // The process itself would close what is still to be read.
      process.toHandle().destroy();
      assertThat(out.lines()).isNotEmpty();
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).isEqualTo(TERMINATED);
    assertThat(err).content().contains("ended by stopped").contains("eviction   h2o: ");
    try (var files = Files.list(directory)) {
      assertThat(files).noneMatch(file -> file.getFileName().toString().startsWith("hs_err"));
    }
  }

  @Test
  void helpHasExamples() {
    Ebb.Run help = ebb.run("generate", "--help");

    assertThat(help.exitCode()).isZero();
    assertThat(help.out())
        .contains("ebb generate --model", "--eviction-policy", "--eviction-window")
        .contains("--memory-threshold", "Examples:");
  }
}
