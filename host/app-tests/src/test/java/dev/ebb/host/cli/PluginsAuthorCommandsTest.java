package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** What authors of plugins type. */
class PluginsAuthorCommandsTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path home;
  private Path installed;
  private String config;

  @BeforeEach
  void dropFolder() {
    installed = Configs.plugins(home);
    PluginJarBuilder.plugin("other").policy("other").writeTo(installed, "other.jar");
    config = Configs.withPlugins(home).toString();
  }

  @Test
  void verifyReportsEachCheckAndFailsWithOne() {
    Run run =
        verify(
            PluginJarBuilder.plugin("acme").policy("other").policy("b", "if (true) return null;"));

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .startsWith("PASS  plugin: can be loaded (acme 1.0.0: policies b, other)\n")
        .contains("FAIL  plugin: has names of its own\n      the policy name 'other' is ambiguous")
        .contains("FAIL  policy b: is created at any capacity\n      create() at capacity 1")
        .containsPattern("\nFAIL: 2 of \\d+ checks that were run\n$")
        .doesNotContain("broke one rule");
  }

  @Test
  void verifyEndsWithWhatManyFailuresHaveInCommon() {
    Run run = verify(breaking());

    assertThat(run.out())
        .containsPattern(
            "\n\n"
                + "policy a: \\d{2} checks broke one rule: no method throws; start with: copes with"
                + " being empty\n"
                + "FAIL: \\d+ of \\d+ checks\n"
                + "$");
  }

  /** By reflection, because Ebb replaces the calls in the classes of plugins. */
  private static final String HALT =
      """
      if (true) try {
        Runtime.class.getMethod("halt", int.class).invoke(Runtime.getRuntime(), 0);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
      """;

  @Test
  void verifyReportsCallsThatWouldEndTheProcess() {
    Run run =
        verify(
            PluginJarBuilder.plugin("acme")
                .policy("a", "System.exit(0);")
                .policy("b", "Runtime.getRuntime().halt(0);")
                .policy("c", "Runtime.getRuntime().exit(0);"));

    assertThat(run.exitCode()).isEqualTo(1);
    for (String name : List.of("a", "b", "c")) {
      assertThat(run.out())
          .containsPattern(
              "FAIL  policy %s: is created.*\n.*a plugin must not end the process".formatted(name));
    }
    assertThat(run.out()).doesNotContain("leaves the process running");
  }

  @Test
  void verifyFailsIfThePluginEndsTheProcess() {
    Run run = verify(PluginJarBuilder.plugin("acme").policy("mine", HALT));

    assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
    assertThat(run.out())
        .startsWith("PASS  plugin: can be loaded (acme 1.0.0: policies mine)\n")
        .contains("FAIL  plugin: leaves the process running\n")
        .contains("status '0' during 'policy mine: is created at any capacity'")
        .contains("remove System.exit and Runtime.halt")
        .containsPattern("\nFAIL: 1 of \\d+ checks\n$");
  }

  @Test
  void verifyWritesADocumentThoughThePluginEndsTheProcess() {
    Run run = verify(breaking().policy("mine", HALT), "--json");

    assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
    JsonNode document = JSON.readTree(run.out());
    assertThat(document.at("/passed").asString()).isEqualTo("false");
    assertThat(document.at("/checks/0/check").asString()).isEqualTo("can be loaded");
    assertThat(document.at("/checks/0/rule").isNull()).isTrue();
    assertThat(document.at("/checks").toString())
        .contains("\"rule\":\"no method throws\"", "leaves the process running");
  }

  /** Also if it writes past {@code System.out}, and without a line end. */
  @Test
  void verifyPassesWhatKeepsTheContractAndDoesNotMixItsOutputIntoTheDocument() throws Exception {
    String writes =
        """
        System.out.print("noise");
        try {
          new java.io.FileOutputStream(java.io.FileDescriptor.out).write(110);
        } catch (java.io.IOException e) {
          throw new IllegalStateException(e);
        }
        """;
    String jar =
        PluginJarBuilder.plugin("acme").policy("mine", writes).writeTo(home, "mine.jar").toString();
    try (EbbProcess process =
        EbbProcess.start(home, Map.of(), "plugins", "verify", jar, "--json", "--config", config)) {
      int exitCode = process.exitCode();
      JsonNode document = JSON.readTree(process.results());
      assertThat(exitCode)
          .as(process.output())
          .isEqualTo(document.at("/passed").asString().equals("true") ? 0 : 1);
      assertThat(document.at("/id").asString()).isEqualTo("acme");
      assertThat(document.at("/checks").toString())
          .contains("leaves nothing in memory")
          .doesNotContain("leaves the process running");
      assertThat(document.at("/costs/0/nsPerAccess").isNumber()).isTrue();
      assertThat(process.output()).contains("noise");
    }
  }

  @Test
  void verifyReportsTheMistakes() {
    Run run = Run.of("plugins", "verify", home + "/none.jar", "--config", config);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).startsWith("ebb: '" + home + "/none.jar' does not exist");
  }

  private static PluginJarBuilder breaking() {
    return PluginJarBuilder.plugin("acme")
        .policy(
            "a",
            """
            if (true) {
              return new RankedBlockPolicy() {
                protected double rank(Entry entry) { throw new IllegalStateException("no rank"); }
              };
            }
            """);
  }

  @Test
  void verifyWritesADocument() {
    JsonNode document =
        JSON.readTree(
            verify(
                    PluginJarBuilder.plugin("acme").policy("a").manifest("Plugin-Requires", "*"),
                    "--json")
                .out());

    assertThat(document.at("/passed").asString()).isEqualTo("false");
    assertThat(document.at("/checks/0/check").asString()).isEqualTo("can be loaded");
    assertThat(document.at("/checks/0/passed").asString()).isEqualTo("false");
    assertThat(document.at("/checks/0/message").asString())
        .startsWith("Plugin-Requires '*' must be");
    assertThat(document.at("/costs").isArray()).isTrue();
  }

  @Test
  void benchComparesWithWhatIsInstalled() {
    Path page = home.resolve("page.html");
    Run run = bench(PluginJarBuilder.plugin("acme").policy("mine"), "--html", page.toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("synthetic chat: 300 requests", "gap closed", "ns/access")
        .containsPattern("(?m)^  mine \\* +\\d+\\.\\d+%")
        .containsPattern("(?m)^  other +\\d+\\.\\d+%")
        .containsPattern("(?m)^POLICY +BYTES/ENTRY +WITH GHOSTS$")
        .containsPattern("(?m)^mine +[1-9]\\d+ +[1-9]\\d+$")
        .containsPattern("\n\nmine: .* LRU at 10%.*; 1st of 2\nnext: a trace of your own\n$");
    assertThat(page)
        .content()
        .startsWith("<!doctype html>")
        .contains("<title>Ebb plugins bench</title>", "\"bytesPerEntry\"");
  }

  @Test
  void benchSaysWhyMemoryIsNotKnownAndWritesADocument() {
    PluginJarBuilder jar =
        PluginJarBuilder.plugin("acme")
            .policy(
                "mine",
                """
                if (context.capacityBlocks() == 200_000) {
                  throw new IllegalStateException("too many");
                }
                """);
    String why =
        "policy 'mine' failed with 200,000 residents: java.lang.IllegalStateException: too many, at"
            + " acme.MineProvider.create(MineProvider.java:10)";

    assertThat(bench(jar).out()).containsPattern("(?m)^mine +- +-$").contains("\n" + why + "\n");
    JsonNode document = JSON.readTree(bench(jar, "--json").out());
    assertThat(document.at("/memory/0/policy").asString()).isEqualTo("mine");
    assertThat(document.at("/memory/0/problem").asString()).isEqualTo(why);
    assertThat(document.at("/memory/1/problem").isNull()).isTrue();
    assertThat(document.at("/memory/1/bytesPerEntry").doubleValue()).isBetween(8.0, 1_000.0);
    assertThat(document.at("/runs/0/policy").asString()).isEqualTo("mine");
    assertThat(document.at("/runs/0/nsPerAccess").doubleValue()).isPositive();
    assertThat(document.at("/traces/0/verdicts/0/policy").asString()).isEqualTo("mine");
    assertThat(document.at("/traces/0/verdicts/0/text").asString()).startsWith("mine: ");
  }

  @Test
  void benchComparesAndMeasuresWhatItIsGiven() {
    Path measured = home.resolve("measured");
    PluginJarBuilder jar =
        PluginJarBuilder.plugin("acme")
            .policy("mine")
            .policy(
                "spare",
                """
                if (context.capacityBlocks() == 200_000) {
                  new java.io.File("%s").mkdir();
                }
                """
                    .formatted(measured));

    Run run = bench(jar, "-p", "mine");
    Run foreign = bench(jar, "--policies", "other");
    Run unknown = bench(jar, "--policies", "mine(x=1),nobody");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .containsPattern("(?m)^  mine \\* ")
        .containsPattern("(?m)^mine: ")
        .doesNotContain("spare", "other", " of 1");
    assertThat(measured).doesNotExist();
    assertThat(bench(jar, "-p", "spare").exitCode()).isZero();
    assertThat(measured).exists();
    assertThat(foreign.exitCode()).isEqualTo(2);
    assertThat(foreign.err())
        .startsWith(
            "ebb plugins bench: --policies: 'other' names none of the policies of 'mine.jar',"
                + " which are [mine, spare]; name one of them too");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err())
        .contains("--policies: unknown setting 'x'", "--policies: no policy named 'nobody'");
  }

  @Test
  void benchSuggestsAnotherValueThanTheDefault() {
    PluginJarBuilder number =
        PluginJarBuilder.plugin("acme")
            .policy("mine", "context.settings().number(\"bonus\", 60.0, 0.0, 1000.0);");
    PluginJarBuilder flag =
        PluginJarBuilder.plugin("acme").policy("mine", "context.settings().flag(\"aged\", true);");
    PluginJarBuilder text =
        PluginJarBuilder.plugin("acme").policy("mine", "context.settings().string(\"a\", \"b\");");

    assertThat(bench(number, "-p", "mine").out()).contains("mine(bonus=120)");
    assertThat(bench(flag, "-p", "mine").out()).contains("mine(aged=false)");
    assertThat(bench(text, "-p", "mine").out()).contains("\nnext: ").doesNotContain("mine(");
  }

  @Test
  void benchSaysOfEachTraceHowThePolicyDid() throws Exception {
    Path trace = home.resolve("own.jsonl");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      lines.append(
          "{\"timestamp\":%d,\"input_length\":32,\"output_length\":1,\"hash_ids\":[%d,%d]}\n"
              .formatted(i, i % 7, 100 + i));
    }
    Files.writeString(trace, lines);

    Run run =
        bench(
            PluginJarBuilder.plugin("acme").policy("mine"),
            "--synthetic",
            "zipf",
            "--policies",
            "mine",
            trace.toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .containsPattern(
            "\n"
                + "on synthetic zipf:\n"
                + "  mine: .*\n"
                + "on own.jsonl:\n"
                + "  mine: .*\n"
                + "next: .*another trace\n"
                + "$");
  }

  @Test
  void benchRefusesWhatCannotBeReplayed() {
    Run refused = bench(PluginJarBuilder.plugin("acme").policy("a").without("Plugin-Version"));
    Run clash = bench(PluginJarBuilder.plugin("acme").policy("other"));

    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).startsWith("ebb: 'mine.jar': its manifest has no Plugin-Version");
    assertThat(bench(PluginJarBuilder.plugin("acme").tokenPolicy("newest")).err())
        .startsWith(
            "ebb: 'mine.jar' offers only token policies, and this command evaluates policies; try"
                + " 'ebb tokens eval --jar");
    assertThat(clash.err()).startsWith("ebb: 'mine.jar': the policy name 'other' is ambiguous");
  }

  @Test
  void wrongOptionsAreReportedBeforeAnythingRuns() throws Exception {
    Files.createFile(home.resolve("mine.jar"));
    Run run = Run.of("plugins", "bench", home + "/mine.jar", "--requests", "0");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("ebb plugins bench: --requests: '0' must be at least 1");
    assertThat(Run.of("plugins", "new", "A").err())
        .startsWith("ebb plugins new: 'A' must be lower-case letters");
    assertThat(Run.of("plugins", "new", "a", "--kind", "policies").err())
        .contains(
            "'policies' is not one of policy, token-policy, token-budget, predictor, preemption");
    assertThat(Run.of("plugins", "new", "a", "--language", "kotlin", "--build", "javac").err())
        .startsWith("ebb plugins new: --build: 'javac' compiles only Java, not 'kotlin'");
  }

  private Run verify(PluginJarBuilder jar, String... more) {
    return run("verify", jar, more);
  }

  private Run bench(PluginJarBuilder jar, String... more) {
    String[] options = new String[more.length + 4];
    options[0] = "--requests";
    options[1] = "300";
    options[2] = "--capacity";
    options[3] = "10%";
    System.arraycopy(more, 0, options, 4, more.length);
    return run("bench", jar, options);
  }

  private Run run(String command, PluginJarBuilder jar, String... more) {
    String[] words = new String[more.length + 5];
    words[0] = "plugins";
    words[1] = command;
    words[2] = jar.writeTo(home, "mine.jar").toString();
    words[3] = "--config";
    words[4] = config;
    System.arraycopy(more, 0, words, 5, more.length);
    return Run.of(words);
  }
}
