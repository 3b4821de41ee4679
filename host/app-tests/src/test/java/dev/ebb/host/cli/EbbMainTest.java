package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class EbbMainTest {

  @Test
  void versionNamesTheContractToo() {
    Run run = Run.of("--version");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).matches("ebb \\S+ \\(spi 1\\.\\d+\\.0, Java \\S+\\)\\R");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--version", "version"})
  void versionTouchesNeitherInjectorNorPluginsNorConfiguration(String command) throws Exception {
    List<String> lines = outOf("-Xlog:class+load", command);

    assertThat(lines)
        .anyMatch(line -> line.startsWith("ebb "))
        .noneMatch(line -> line.contains(" com.google.inject."))
        .noneMatch(line -> line.contains(" org.pf4j."))
        .noneMatch(line -> line.contains(" ch.qos.logback."))
        .noneMatch(line -> line.contains(" dev.ebb.host.cli.ServeCommand "))
        .noneMatch(line -> line.contains(" dev.ebb.host.config."))
        .noneMatch(line -> line.contains(" com.typesafe."));
  }

  @Test
  void aCommandOfAMissingModuleSaysWhatItNeeds() {
    Run run = Run.of("generate", "--model", "model.gguf", "--prompt", "Once");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith("ebb: generate needs engine-llama")
        .contains("mvn")
        .hasLineCount(1);
    assertThat(Run.of("engine", "start", "model.gguf").err())
        .startsWith("ebb: engine needs engine-llama")
        .contains("mvn");
    assertThat(Run.of("--help").out()).contains("generate", "engine");
    assertThat(Run.of("generate", "--help").out()).startsWith("Usage: ebb generate");
  }

  @Test
  void helpListsTheExitCodes() {
    Run run = Run.of("--help");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("plugins", "Exit codes:", "2   the command line was wrong");
  }

  @Test
  void helpStartsWithFirstStepsAndHasEachCommandInAGroup() {
    String help = Run.of("--help").out();

    assertThat(help)
        .contains("First steps:\n  ebb replay --synthetic chat ")
        .doesNotContain("Others:");
    CommandLine ebb = EbbMain.commandLine();
    OptionalCommands.addTo(ebb);
    ebb.getSubcommands()
        .keySet()
        .forEach(name ->
            assertThat(help.lines().filter(line -> line.matches("  " + name + " +[A-Z].*")))
                .as(name)
                .hasSize(1));
    help.lines()
        .filter(line -> line.startsWith("  ebb "))
        .map(line -> line.strip().split(" ", -1)[1])
        .forEach(name -> assertThat(ebb.getSubcommands()).containsKey(name));
  }

  @Test
  void everyCommandHasHelpAndVersion() {
    assertThat(Run.of("plugins", "list", "--help").out())
        .startsWith("Usage: ebb plugins list")
        .contains("Exit codes:");
    assertThat(Run.of("plugins", "list", "--version").out()).startsWith("ebb ");
  }

  @Test
  void aCommandIsTheSameAloneAsAmongAll() {
    CommandLine all = EbbMain.commandLine();
    assertThat(all.getSubcommands()).hasSizeGreaterThan(20);
    all.getSubcommands()
        .keySet()
        .forEach(name ->
            assertThat(EbbMain.commandLine(name).getSubcommands()).as(name).containsKey(name));
    assertThat(EbbMain.commandLine("stats").getSubcommands()).containsOnlyKeys("stats");
    assertThat(EbbMain.commandLine("help").getSubcommands()).hasSameSizeAs(all.getSubcommands());
  }

  @Test
  void anUnknownCommandIsReportedWithTheNearest() {
    Run run = Run.of("plugin");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .startsWith("ebb: no command 'plugin' (did you mean 'plugins'?)")
        .endsWith("See 'ebb --help'" + System.lineSeparator());
  }

  @ParameterizedTest
  @CsvSource({
    "policy st, ebb policy: no command 'st' (did you mean 'set'?)",
    "rules list, ebb: no command 'rules' (did you mean 'policy rules'?)",
    "shadow list, ebb: no command 'shadow' (did you mean 'policy shadow'?)",
    "pool qqqqqq, ebb pool: no command 'qqqqqq'",
    "set-policy lru, ebb: no command 'set-policy' (did you mean 'ebb policy set'?)",
    "policy set-policy lru, ebb policy: no command 'set-policy' (did you mean 'ebb policy set'?)",
    "eviction logs, ebb eviction: no command 'logs' (did you mean 'ebb logs'?)",
    "benchmark, ebb: no command 'benchmark' (did you mean 'ebb bench'?)",
  })
  void onlyCommandsThatExistAreSuggested(String words, String message) {
    assertThat(Run.of(words.split(" ")).err().lines().findFirst()).contains(message);
  }

  @ParameterizedTest
  @CsvSource({
    "replay --eviction-policies lru, Ebb's name for it is '--policies'",
    "serve --eviction-policies lru, --eviction-policy",
    "serve --engine-kind vllm, and 'ebb serve' serves other engines",
    "serve --defrag-threshold 0.1, Ebb's name for it is 'ebb.pool.defrag.threshold'",
    "serve --defrag-ratio 0.1, and 'ebb pool defrag' runs it",
  })
  void anOptionOfOtherSoftwareIsExplained(String words, String hint) {
    Run run = Run.of(words.split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains(hint);
  }

  @Test
  void anUnknownOptionIsReportedWithItsCommand() {
    Run run = Run.of("plugins", "list", "--jsn");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .startsWith("ebb plugins list: Unknown option: '--jsn'")
        .contains("See 'ebb plugins list --help'")
        .doesNotContain("Exception");
  }

  @Test
  void noCommandIsWrongUsage() {
    assertThat(Run.of().exitCode()).isEqualTo(2);
    assertThat(Run.of("plugins").err())
        .startsWith("ebb plugins: a command is missing; choose one of list, ");
  }

  private static List<String> outOf(String jvmOption, String argument) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add(jvmOption);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(EbbMain.class.getName());
    command.add(argument);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
        .lines()
        .toList();
  }

  @Test
  void helpAndVersionAreCommandsToo() {
    assertThat(Run.of("help").out()).isEqualTo(Run.of("--help").out());
    assertThat(Run.of("help", "plugins", "install").out())
        .isEqualTo(Run.of("plugins", "install", "--help").out())
        .contains("--replace");
    assertThat(Run.of("version").out()).isEqualTo(Run.of("--version").out()).startsWith("ebb ");
    Run wrong = Run.of("help", "plugins", "instal");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.err()).contains("'instal'", "did you mean 'install'?");
  }

  @ParameterizedTest
  @CsvSource({
    "--maxmemory, '--pool-size'",
    "--gpu-memory-utilization=0.9, '--pool-size'",
    "--maxmemory-policy, '--eviction-policy'",
    "--policy, '--eviction-policy'",
    "--maxclients, 'ebb.server.max-clients'",
    "--kv-cache-dtype, engine"
  })
  void anOptionOfOtherSoftwareIsAnsweredWithEbbsName(String option, String own) {
    Run run = Run.of("serve", option, "1");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains(option, own);
  }

  @Test
  void aSimilarOptionOfTheCommandTakesPrecedenceOverARemark() {
    assertThat(Run.of("replay", "x", "--block-size", "16").err())
        .contains("--block-tokens")
        .doesNotContain("engine");
  }
}
