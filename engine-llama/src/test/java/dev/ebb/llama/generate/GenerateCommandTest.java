package dev.ebb.llama.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.typesafe.config.Config;
import dev.ebb.host.cli.CommandProvider;
import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.errors.UserError;
import dev.ebb.llama.testing.Engine;
import dev.ebb.llama.testing.TinyModel;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class GenerateCommandTest {

  @TempDir private Path folder;
  private Path config;

  @BeforeEach
  void configure() throws IOException {
    Path plugins = Files.createDirectory(folder.resolve("plugins"));
    Files.setPosixFilePermissions(plugins, PosixFilePermissions.fromString("rwxr-xr-x"));
    config =
        Files.writeString(
            folder.resolve("ebb.conf"),
            "ebb.plugins { folder = \"%s\", run = \"%s\" }"
                .formatted(folder.resolve("plugins"), folder.resolve("run")));
  }

  private record Result(int exitCode, String out, String err) {}

  private Result run(String... options) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    List<String> all = new ArrayList<>(Arrays.asList(options));
    all.add("--config");
    all.add(config.toString());
    int exitCode =
        new CommandLine(new GenerateCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .setExecutionExceptionHandler((failure, command, result) -> {
              err.write(String.valueOf(failure.getMessage()));
              return 1;
            })
            .execute(all.toArray(String[]::new));
    return new Result(exitCode, out.toString(), err.toString());
  }

  private String model() throws IOException {
    Engine.assumeRuns();
    return new TinyModel().write(folder.resolve("tiny.gguf")).toString();
  }

  @Test
  void isFoundAsAService() {
    assertThat(ServiceLoader.load(CommandProvider.class))
        .extracting(CommandProvider::command)
        .hasAtLeastOneElementOfType(GenerateCommand.class);
  }

  @Test
  void writesTheAnswerToStandardOutputAndTheRestToStandardError() throws IOException {
    String model = model();
    Result run = run("-m", model, "--prompt", "the cat", "-n", "20", "-t", "1");
    Result again = run("-m", model, "--prompt", "the cat", "-n", "20", "-t", "1");

    assertThat(run.exitCode).as(run.err).isZero();
    assertThat(run.out).isNotBlank().isEqualTo(again.out);
    assertThat(run.err)
        .contains("answer     20 tokens", "ended by length", "cells      ")
        .contains("eviction   none: 0 tokens dropped in 0 evictions");
  }

  @Test
  void readsThePromptFromAFileAndWritesJson() throws IOException {
    Path prompt = Files.writeString(folder.resolve("prompt.txt"), "the cat");
    String model = model();
    String text =
        run("-m", model, "--prompt", "the cat", "-n", "20", "-t", "1").out.stripTrailing();
    Result json =
        run("-m", model, "--prompt-file", prompt.toString(), "-n", "20", "-t", "1", "--json");

    assertThat(json.exitCode).as(json.err).isZero();
    assertThat(json.err).isEmpty();
    JsonNode report = new JsonMapper().readTree(json.out);
    assertThat(report.get("text").stringValue().stripTrailing()).isEqualTo(text);
    assertThat(report.get("generatedTokens").intValue()).isEqualTo(20);
    assertThat(report.get("evictedTokens").intValue()).isZero();
    assertThat(report.get("ending").stringValue()).isEqualTo("length");
  }

  @Test
  void answersOfEqualSeedsAreEqual() throws IOException {
    String model = model();
    String[] options = {
      "-m", model, "--prompt", "the", "-n", "30", "-t", "1", "--temperature", "1.2", "--seed", "7"
    };
    assertThat(run(options).out).isNotBlank().isEqualTo(run(options).out);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--max-tokens=0 | --max-tokens: '0' must be at least 1",
        "--context=-1 | --context: '-1' must be at least 1",
        "--threads=513 | --threads: '513' must be 1 to 512",
        "--temperature=-1 | --temperature: '-1.0' must be 0 or more",
        "--top-k=-1 | --top-k: '-1' must be 0 or more",
        "--eviction-window=64 | --eviction-window: the policy 'none' drops nothing",
        "--memory-threshold=64 | --memory-threshold: the policy 'none' drops nothing",
        "--eviction-window=0 | --eviction-window: '0' must be at least 1",
        "--memory-threshold=0 | --memory-threshold: '0' must be at least 1",
        "--eviction-policy=_h2o | '_h2o' must start with a policy's name",
        "--eviction-policy=h2o( | must end with the parenthesis"
      })
  void refusesValuesThatAreNotAllowed(String option, String message) {
    Result run = run("--model=model.gguf", "--prompt=the", option);

    assertThat(run.exitCode).isEqualTo(2);
    assertThat(run.err).contains(message);
  }

  @Test
  void wantsOnePrompt() {
    assertThat(run("--model=model.gguf").exitCode).isEqualTo(2);
    assertThat(run("--model=model.gguf", "--prompt=a", "--prompt-file=b").exitCode).isEqualTo(2);
  }

  @Test
  void namesThePoliciesThatThereAre() {
    Result run = run("-m", "none.gguf", "--prompt", "the", "--eviction-policy", "lottery");

    assertThat(run.exitCode).isEqualTo(1);
    assertThat(run.err).contains("--eviction-policy", "'lottery'").hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "budget = pyramid | h2o | ebb.tokens.budget = pyramid keeps other tokens in each layer",
        "layers = [0 h2o] | h2o | ebb.tokens.layers keeps other tokens in each layer",
        "pressure = [1 GiB h2o] | h2o | ebb.tokens.pressure is not for generate",
        "trigger = policy | adakv | 'adakv' keeps other tokens in each layer or head"
      })
  void refusesWhatNeedsOtherTokensInEachLayer(String setting, String policy, String message) {
    TokensConfig tokens =
        new ConfigLoader(folder, folder)
            .load(null, "ebb.tokens { %s }".formatted(setting.replaceAll("\\[(.*)]", "[\"$1\"]")))
            .orThrow()
            .tokens();

    assertThatThrownBy(() -> EvictionGroup.requireOneSet(tokens, policy))
        .isInstanceOf(UserError.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sliding-window | 64 | 60 | 4",
        "sliding-window(protected-prefix=8) | 64 | 56 | 8",
        "sliding-window(window=5) | 64 | 5 | 4"
      })
  void aWindowIsThePrefixAndTheNewestTokens(String policy, String window, int newest, int prefix) {
    EvictionGroup group = group("--eviction-policy", policy, "--eviction-window", window);

    Config settings = group.policy(EbbDefaults.TOKENS).settings();
    assertThat(settings.getInt("window")).isEqualTo(newest);
    assertThat(settings.getInt("protected-prefix")).isEqualTo(prefix);
    assertThat(group.overrides())
        .extracting(ConfigOverride::key, ConfigOverride::value)
        .containsExactly(
            tuple("ebb.tokens.policy", "sliding-window"),
            tuple("ebb.tokens.window", Integer.valueOf(window)));
  }

  @Test
  void aWindowMustHoldMoreThanThePrefix() {
    EvictionGroup group = group("--eviction-policy", "sliding-window", "--eviction-window", "4");

    assertThatThrownBy(() -> group.policy(EbbDefaults.TOKENS))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'4' must be more than the 4 tokens of protected-prefix");
  }

  @Test
  void otherPoliciesKeepTheirSettings() {
    EvictionGroup group = group("--eviction-policy", "h2o(recent=7)", "--eviction-window", "64");

    assertThat(group.policy(EbbDefaults.TOKENS).settings().root()).containsOnlyKeys("recent");
  }

  private static EvictionGroup group(String... options) {
    EvictionGroup group = new EvictionGroup();
    new CommandLine(CommandLine.Model.CommandSpec.create().addMixin("group", spec(group)))
        .parseArgs(options);
    return group;
  }

  private static CommandLine.Model.CommandSpec spec(EvictionGroup group) {
    return CommandLine.Model.CommandSpec.forAnnotatedObject(group);
  }

  /** What is active where nothing is configured. */
  private static final class EbbDefaults {
    static final TokensConfig TOKENS =
        new ConfigLoader(Path.of(""), Path.of("")).load(null, "").orThrow().tokens();
  }

  @Test
  void refusesMoreCellsThanThereIsMemory() throws IOException {
    Result run = run("-m", model(), "--prompt", "the", "--context", "2000000000");

    assertThat(run.exitCode).isEqualTo(1);
    assertThat(run.err).contains("'2000000000' cells take ", "use fewer");
  }

  @Test
  void examplesInHelpAndDocumentationCanBeTyped() throws IOException {
    CommandLine command = new CommandLine(new GenerateCommand());
    String help = command.setUsageHelpWidth(400).getUsageMessage();
    String page = Files.readString(Path.of("..", "docs", "generate.md"));

    assertThat(examples(help)).hasSizeGreaterThan(1).allSatisfy(command::parseArgs);
    assertThat(examples(page)).hasSizeGreaterThan(1).allSatisfy(command::parseArgs);
  }

  private static List<String[]> examples(String text) {
    return text.lines()
        .map(line -> line.strip().replace("./ebb", "ebb"))
        .filter(line -> line.startsWith("ebb generate "))
        .map(line -> line.replace("\"Once upon a time\"", "Once").substring(13).split(" ", -1))
        .toList();
  }
}
