package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Compares reports of real replays. */
class ReplayCompareTest {

  private static final JsonMapper JSON = new JsonMapper();

  @TempDir private Path home;
  private Path plugins;
  private Path config;
  private Path trace;

  @BeforeEach
  void makeTrace() {
    plugins = Configs.plugins(home);
    config = Configs.withPlugins(home);
    trace = home.resolve("chat.jsonl");
    replay("--synthetic", "chat", "--requests", "400", "--save", trace.toString(), "-c", "1");
  }

  @Test
  void aBetterPolicyHasMoreHitsAndFewerTokensToCompute() throws IOException {
    ranked("mine", "-entry.lastAccessTick()");
    Path worse = report("worse.json", "-c", "100");
    ranked("mine", "entry.lastAccessTick()");
    Path better = report("better.json", "-c", "100");

    Run forward = compare(worse, better, "--fail-below", "0", "--json");
    Run backward = compare(better, worse, "--fail-below", "-0.1");

    JsonNode row = row(JSON.readTree(forward.out()), "mine");
    assertThat(forward.exitCode()).as(forward.err()).isZero();
    assertThat(row.get("hitPoints").doubleValue())
        .isEqualTo(
            (row.get("hitRatio").doubleValue() - row.get("hitRatioBase").doubleValue()) * 100)
        .isPositive();
    assertThat(row.get("prefillTokens").longValue())
        .isPositive()
        .isLessThan(row.get("prefillTokensBase").longValue());
    assertThat(row.get("prefillTokensP99").isNumber()).isTrue();
    assertThat(backward.exitCode()).isEqualTo(1);
    assertThat(backward.out()).containsPattern("100 +mine .*-\\d+\\.\\d\\d .* !").contains("-0.10");
    assertThat(compare(better, worse).exitCode()).isZero();
    assertThat(compare(better, worse, "--fail-below", "-100").exitCode()).isZero();
  }

  @Test
  void policiesOfDifferentNamesAreCompared() throws IOException {
    ranked("mine", "entry.lastAccessTick()");
    Path base = report("base.json", "-c", "100", "-p", "mine");
    ranked("yours", "entry.lastAccessTick()");
    Path current = report("current.json", "-c", "100", "-p", "yours");

    Run run = compare(base, current, "--rename", "mine=yours", "--json");

    JsonNode document = JSON.readTree(run.out());
    assertThat(document.get("compared").intValue()).as(run.err()).isEqualTo(1);
    assertThat(row(document, "yours").get("hitPoints").doubleValue()).isZero();
    assertThat(compare(base, current, "--rename", "lru=yours").err())
        .contains("--rename: 'lru=yours'", "has no policy 'lru'", "[mine]");
  }

  @Test
  void oneReportIsTooFew() {
    Run run = Run.of("replay", "--compare", "one.json");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--compare needs 2 values: BASE.json CURRENT.json");
    assertThat(Run.of("replay", "--fail-below", "1", "trace.jsonl").err())
        .startsWith("ebb replay: --compare needs 2 values");
  }

  @Test
  void newAndMissingRowsAreShownAndMissingOnesFail() throws IOException {
    ranked("mine", "entry.lastAccessTick()");
    Path base = report("base.json", "-c", "100,200", "-p", "none");
    Path current = report("current.json", "-c", "200,300", "-p", "none,mine");

    Run run = compare(base, current, "--json");

    JsonNode document = JSON.readTree(run.out());
    assertThat(document.get("compared").intValue()).isEqualTo(1);
    assertThat(document.get("newRows").intValue()).isEqualTo(3);
    assertThat(document.get("missingRows").intValue()).isEqualTo(1);
    assertThat(run.exitCode()).isZero();
    Run strict = compare(base, current, "--fail-below", "-50");
    assertThat(strict.exitCode()).isEqualTo(1);
    assertThat(strict.out())
        .containsPattern("100 +none .* missing !")
        .containsPattern("mine .*new");
  }

  @Test
  void aRunThatFailsNowIsWorse() throws IOException {
    ranked("mine", "entry.lastAccessTick()");
    Path base = report("base.json", "-c", "100");
    ranked("mine", "Double.parseDouble(\"lost\")");
    Path current = report("current.json", "-c", "100");

    assertThat(compare(base, current, "--fail-below", "-100").exitCode()).isEqualTo(1);
    assertThat(compare(current, base, "--fail-below", "-100").exitCode()).isZero();
  }

  @Test
  void overlappingSeedsAreMarked() throws IOException {
    ranked("mine", "context.random().nextDouble()");
    Path base = report("base.json", "-c", "100", "--seeds", "4");
    Path current = report("current.json", "-c", "100", "--seeds", "4", "--seed", "3");

    assertThat(compare(base, current).out()).containsPattern("mine .*[+-]0\\.\\d\\d ~");
  }

  @Test
  void reportsOfDifferentTracesAreRefused() throws IOException {
    Path all = report("all.json", "-c", "100", "-p", "none");
    Path part = report("part.json", "-c", "100", "-p", "none", "--limit", "50");
    Path other = home.resolve("other.json");
    Files.writeString(
        other, Files.readString(all).replace("\"trace\" : \"chat.jsonl\"", "\"trace\" : \"x\""));

    assertWrong(compare(all, part), "'chat.jsonl'", "requests of '400'", "'50'", "--limit");
    assertWrong(compare(all, other), "no trace in common", "['chat.jsonl']", "['x']");
  }

  @Test
  void aFileThatIsNotAReportIsRefused() throws IOException {
    Path good = report("good.json", "-c", "100", "-p", "none");
    Path page = Files.writeString(home.resolve("page.html"), "<!doctype html>");
    Path empty = Files.writeString(home.resolve("empty.json"), "{\"traces\": []}");
    Path partial =
        Files.writeString(
            home.resolve("p.json"), "{\"traces\": [], \"runs\": [{\"trace\": \"t\"}]}");

    assertWrong(compare(good, page), "page.html", "not a report", "--json");
    assertWrong(compare(empty, good), "empty.json", "'runs' is missing", "--json");
    assertWrong(compare(partial, good), "p.json", "'policy'", "--json");
    assertWrong(compare(good, home.resolve("none.json")), "none.json", "does not exist");
    assertWrong(compare(good, good, "--fail-below", "1000"), "--fail-below: '1000.0'", "100");
    assertWrong(compare(good, good, "-c", "5"), "--capacity", "--compare", "leave it out");
    assertWrong(compare(good, good, trace.toString()), "TRACE", "--compare", "leave it out");
  }

  private static void assertWrong(Run run, String... parts) {
    assertThat(run.exitCode()).as(run.out()).isEqualTo(2);
    assertThat(run.err()).contains(parts).doesNotContain("\tat ");
    assertThat(run.out()).isEmpty();
  }

  private static JsonNode row(JsonNode document, String policy) {
    for (JsonNode row : document.get("rows")) {
      if (row.get("policy").stringValue().equals(policy)) {
        return row;
      }
    }
    throw new AssertionError(document);
  }

  /** A policy that evicts the lowest rank first. */
  private void ranked(String name, String rank) {
    PluginJarBuilder.plugin(name).rankedPolicy(name, rank).writeTo(plugins, name + ".jar");
  }

  private Path report(String name, String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(trace.toString(), "--json"));
    all.addAll(List.of(arguments));
    return Files.writeString(home.resolve(name), replay(all.toArray(String[]::new)).out());
  }

  private Run compare(Path base, Path current, String... more) {
    List<String> all = new ArrayList<>(List.of("--compare", base.toString(), current.toString()));
    all.addAll(List.of(more));
    return replay(all.toArray(String[]::new));
  }

  private Run replay(String... arguments) {
    List<String> all = new ArrayList<>(List.of("replay", "--config", config.toString()));
    all.addAll(List.of(arguments));
    return Run.of(all.toArray(String[]::new));
  }
}
