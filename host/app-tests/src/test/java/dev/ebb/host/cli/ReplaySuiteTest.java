package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs suites of real and synthetic traces. */
class ReplaySuiteTest {

  private static final JsonMapper JSON = new JsonMapper();

  @TempDir private Path home;
  private Path plugins;
  private Path config;

  @BeforeEach
  void dropPolicies() throws IOException {
    plugins = Configs.plugins(home);
    ranked("recent", "entry.lastAccessTick()");
    ranked("backwards", "-entry.lastAccessTick()");
    config = Configs.withPlugins(home);
    Files.createDirectories(home.resolve("suites/traces"));
    replay(
        "--synthetic",
        "chat",
        "--requests",
        "300",
        "-c",
        "1",
        "-p",
        "none",
        "--save",
        home.resolve("suites/traces/chat.jsonl.gz").toString());
  }

  @Test
  void theRankingFollowsFromTheRuns() throws IOException {
    Path suite =
        suite(
            """
            name = Two
            traces = [
              traces/chat.jsonl.gz
              { name = agents, synthetic = agent, requests = 200 }
            ]
            policies = [recent, "backwards,none"]
            capacity = [100, 2%]
            """);

    Run run = replay("--suite", suite.toString(), "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode document = JSON.readTree(run.out());
    assertThat(document.get("suite").stringValue()).isEqualTo("Two");
    assertThat(document.get("runs")).hasSize(2 * 2 * 3);
    Map<String, Double> ranks = meanRanks(document.get("runs"));
    for (JsonNode rank : document.get("ranking")) {
      String policy = rank.get("policy").stringValue();
      assertThat(rank.get("meanRank").doubleValue()).isCloseTo(ranks.get(policy), within(1e-9));
      assertThat(rank.get("cases").intValue()).isEqualTo(4);
      assertThat(rank.get("gapClosed").doubleValue()).isLessThanOrEqualTo(1);
      assertThat(rank.get("traces")).hasSize(2);
    }
    assertThat(document.get("ranking").get(0).get("meanRank").doubleValue())
        .isEqualTo(ranks.values().stream().min(Double::compare).orElseThrow());
    assertThat(gain(document, "recent")).isGreaterThan(gain(document, "backwards"));
    assertThat(run.err()).contains("1 of 2: chat.jsonl.gz", "2 of 2: agents");
  }

  @Test
  void theReportOfASuiteCanBeCompared() throws IOException {
    Path suite = suite("traces = [traces/chat.jsonl.gz], capacity = 100, policies = recent");
    Path report =
        Files.writeString(
            home.resolve("suite.json"), replay("--suite", suite.toString(), "--json").out());

    Run run = replay("--compare", report.toString(), report.toString(), "--fail-below", "0");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("1 row compared");
  }

  @Test
  void aTraceAndAPolicyThatFailAreReportedWithTheOthers() throws IOException {
    ranked("broken", "Double.parseDouble(\"lost\")");
    Files.writeString(home.resolve("suites/bad.jsonl"), "{\"timestamp\": 0\n");
    Path suite =
        suite(
            "traces = [bad.jsonl, traces/chat.jsonl.gz], capacity = 100, policies = [broken,"
                + " none]");
    Path page = home.resolve("suite.html");

    Run run = replay("--suite", suite.toString(), "--html", page.toString());

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("bad.jsonl:1: ", "2 runs, 1 failed");
    assertThat(run.out()).containsPattern("1 +none").containsPattern("2 +broken").contains("lost");
    assertThat(page).content().contains("class=\"ranking\"", "\"failures\":1", "bad.jsonl:1: ");
  }

  @Test
  void marksTheMeansOfAPolicyThatFailedInSomeCases() throws IOException {
    ranked(
        "shallow",
        "\"zipf\".equals(entry.workload()) ? entry.lastAccessTick() : Long.parseLong(\"chat\")");
    Path suite =
        suite(
            """
            traces = [
              traces/chat.jsonl.gz
              { name = flat, synthetic = zipf, requests = 500 }
            ]
            capacity = 100, policies = [shallow, recent]
            """);

    Run run = replay("--suite", suite.toString());

    assertThat(run.out())
        .containsPattern("shallow +[\\d.]+ +[0-2] of 2 +[\\d.]+%\\* +[-+\\d.]+\\* ")
        .containsPattern("recent +[\\d.]+ +[0-2] of 2 +[\\d.]+% +[-+\\d.]+ ")
        .contains("* without the cases in which the policy failed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "capacity = 5% | traces is missing or empty",
        "traces = [none.jsonl] | 1: trace 'none.jsonl' is not a file; its path is relative",
        "trace = [x] | 1: unknown key 'trace' (did you mean 'traces'?), allowed are",
        "traces = [{ synthetic = cat }] | 1: synthetic trace 'cat' does not exist; choose one of"
            + " chat",
        "traces = [{ synthetic = chat, file = x }] | 1: a trace has either 'file' or 'synthetic'",
        "traces = [{ synthetic = chat, requests = 0 }] | 1: requests is '0', must be a whole number"
            + " from 1",
        "traces = [{ synthetic = chat, turn = 1 }] | 1: unknown key 'turn' & 'turns'",
        "traces = [{ synthetic = chat, turns = 0 }] | 1: turns is '0.0', must be at least 1",
        "traces = [{ synthetic = chat }, { synthetic = chat }] | 1: there are two traces 'synthetic"
            + " chat'",
        "traces = [{ synthetic = chat }], capacity = 0 | 1: capacity: '0' is not a number of"
            + " blocks",
        "traces = [{ synthetic = chat }], model = x | 1: model is 'x', must be prefix or object",
        "traces = [{ synthetic = chat }], seeds = 0 | 1: seeds is '0', must be a whole number from"
            + " 1",
        "traces = [{ synthetic = chat }], policies = [nope] | no policy named 'nope'",
        "traces = [ | suite.conf",
        "include other | suite.conf",
      })
  void aMistakeInTheFileIsWrongUsage(String text, String parts) throws IOException {
    Run run = replay("--suite", suite(text).toString());

    assertThat(run.err())
        .contains("suite.conf")
        .contains(parts.split(" & "))
        .doesNotContain("\tat ");
    assertThat(run.exitCode()).isEqualTo(2);
  }

  @Test
  void optionsOfTheFileAreRefused() throws IOException {
    Path suite = suite("traces = [traces/chat.jsonl.gz]");

    assertThat(replay("--suite", suite.toString(), "-c", "5").err())
        .contains("--capacity", "suite.conf", "write it into the file");
    assertThat(replay("--suite", suite.toString(), "--through", "127.0.0.1:1").err())
        .contains("--through", "leave it out");
    assertThat(replay("--suite", home.resolve("no.conf").toString()).err())
        .contains("no.conf' does not exist");
  }

  @Test
  void theExampleIsASuite() {
    Path example = Path.of("../../examples/replay-suite/suite.conf").toAbsolutePath().normalize();

    assertThat(dev.ebb.host.replay.suite.SuiteFile.read(example).traces()).hasSizeGreaterThan(2);
  }

  private static double gain(JsonNode document, String policy) {
    for (JsonNode rank : document.get("ranking")) {
      if (rank.get("policy").stringValue().equals(policy)) {
        return rank.get("gain").doubleValue();
      }
    }
    throw new AssertionError(policy);
  }

  /** The mean ranks, by counting for each run how many others of its case are better or equal. */
  private static Map<String, Double> meanRanks(JsonNode runs) {
    Map<String, List<Double>> ranks = new HashMap<>();
    for (JsonNode run : runs) {
      double rank = 1;
      for (JsonNode other : runs) {
        if (other != run
            && other.get("trace").equals(run.get("trace"))
            && other.get("capacityBlocks").equals(run.get("capacityBlocks"))) {
          double difference =
              other.get("hitRatio").doubleValue() - run.get("hitRatio").doubleValue();
          rank += difference > 0 ? 1 : difference == 0 ? 0.5 : 0;
        }
      }
      ranks.computeIfAbsent(run.get("policy").stringValue(), policy -> new ArrayList<>()).add(rank);
    }
    Map<String, Double> means = new HashMap<>();
    ranks.forEach((policy, all) ->
        means.put(policy, all.stream().mapToDouble(each -> each).average().orElseThrow()));
    return means;
  }

  private void ranked(String name, String rank) {
    PluginJarBuilder.plugin(name).rankedPolicy(name, rank).writeTo(plugins, name + ".jar");
  }

  private Path suite(String text) throws IOException {
    return Files.writeString(home.resolve("suites/suite.conf"), text);
  }

  private Run replay(String... arguments) {
    List<String> all = new ArrayList<>(List.of("replay", "--config", config.toString()));
    all.addAll(List.of(arguments));
    return Run.of(all.toArray(String[]::new));
  }
}
