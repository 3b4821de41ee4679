package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class TuneCommandTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path home;
  private Path plugins;
  private Path config;

  @BeforeEach
  void installPolicy() {
    plugins = Configs.plugins(home);
    policy("false").writeTo(plugins, "acme.jar");
    config = Configs.withPlugins(home);
  }

  /** A policy that evicts the oldest or the newest entry. */
  private static PluginJarBuilder policy(String newestByDefault) {
    return PluginJarBuilder.plugin("acme")
        .provider(
            "acme.AgedProvider",
            """
            package acme;

            import dev.ebb.spi.*;

            public final class AgedProvider implements BlockPolicyProvider {
              public String name() { return "aged"; }

              public BlockPolicy<?> create(PolicyContext context) {
                boolean newest = context.settings().flag("newest", %s);
                long unused = context.settings().integer("unused", 0, 0, 10);
                return new RankedBlockPolicy() {
                  protected double rank(Entry entry) {
                    return newest ? -entry.lastAccessTick() : entry.lastAccessTick();
                  }
                };
              }
            }
            """
                .formatted(newestByDefault));
  }

  /** A loop over more blocks than fit, which only a policy that evicts the newest serves. */
  private static List<Integer> loop(int requests) {
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      ids.add(i % 12);
    }
    return ids;
  }

  /** Blocks used twice in a row, whose second use only a policy that evicts the oldest serves. */
  private static List<Integer> pairs(int requests) {
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      ids.add(1_000 + i / 4 * 2 + i % 2);
    }
    return ids;
  }

  @SafeVarargs
  private final String trace(String name, List<Integer>... parts) throws IOException {
    StringBuilder lines = new StringBuilder();
    int time = 0;
    for (List<Integer> part : parts) {
      for (int id : part) {
        lines.append(
            "{\"timestamp\":%d,\"input_length\":16,\"output_length\":1,\"hash_ids\":[%d]}\n"
                .formatted(time++, id));
      }
    }
    Path file = home.resolve(name);
    Files.writeString(file, lines);
    return file.toString();
  }

  private Run tune(String... more) {
    List<String> words = new ArrayList<>(List.of("tune", "aged"));
    words.addAll(List.of(more));
    words.addAll(List.of("--config", config.toString(), "--capacity", "8"));
    return Run.of(words.toArray(String[]::new));
  }

  @Test
  void betterSettingsAreFound() throws IOException {
    String trace = trace("loop.jsonl", loop(400));

    Run run = tune(trace);
    Run json = tune(trace, "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).contains("unused=0 is kept", "--set unused=");
    assertThat(run.out())
        .startsWith("aged on loop.jsonl: 2 combinations of newest at 8 blocks\n")
        .containsPattern("(?m)^ +1 +newest=true +\\d+\\.\\d+% +\\d+\\.\\d+% +\\+\\d+\\.\\d+ +\\d")
        .containsPattern("(?m)^ +2 +current settings +0\\.00% +0\\.00%$")
        .containsPattern("(?m)^ +\\(lru\\) +0\\.00%")
        .contains("\nbetter: newest=true (+")
        .endsWith("next: ebb config set ebb.eviction.policies.aged='{ newest = true }'\n");
    JsonNode document = JSON.readTree(json.out());
    assertThat(document.at("/trials").intValue()).isEqualTo(2);
    assertThat(document.at("/recommended/settings/newest").asString()).isEqualTo("true");
    assertThat(document.at("/results/0/rank").intValue()).isEqualTo(1);
    assertThat(document.at("/results/0/gain").doubleValue()).isGreaterThan(0.5);
    assertThat(document.at("/results/0/parts/0/capacityBlocks").intValue()).isEqualTo(8);
    assertThat(document.at("/results/1/current").booleanValue()).isTrue();
  }

  @Test
  void settingsThatAreBetterInTheFirstHalfOnlyAreNotRecommended() throws IOException {
    Run run = tune(trace("turn.jsonl", loop(400), pairs(400)));

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .containsPattern("(?m)^ +1 +newest=true ")
        .contains("\nkeep the current settings: the best of the first half, newest=true, is not")
        .doesNotContain("next:");
  }

  @Test
  void theCurrentSettingsMayBeTheBest() throws IOException {
    Run run = tune(trace("pairs.jsonl", pairs(400)), "--set", "newest=true");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .containsPattern("(?m)^ +1 +current settings ")
        .contains("\nkeep the current settings: no others had more hits in the first half");
  }

  @Test
  void combinationsThatThePolicyRefusesAreLeftOut() throws IOException {
    Run run = tune(trace("loop.jsonl", loop(100)), "--set", "unused=1,11");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).contains("1 of 3 combinations", "'11'", "10");
    assertThat(run.out()).contains("unused=1 ").doesNotContain("unused=11");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--set newest          | --set: 'newest' must be",
        "--set newst=true      | unknown setting 'newst'",
        "--set unused=11       | '11'",
        "--trials 0            | --trials: '0' must be 1 to 10000",
        "--limit 31            | --limit: '31' must be at least 32",
        "--capacity 0          | --capacity: '0' is not",
      })
  void aWrongOptionIsWrongUsage(String options, String message) throws IOException {
    List<String> words = new ArrayList<>(List.of("tune", "aged", trace("t.jsonl", loop(100))));
    words.addAll(List.of(options.split(" ")));
    words.addAll(List.of("--config", config.toString()));
    Run run = Run.of(words.toArray(String[]::new));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("ebb tune: ").contains(message).doesNotContain("Exception");
  }

  @Test
  void aShortTraceIsRefused() throws IOException {
    Run run = tune(trace("short.jsonl", loop(31)));

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("'short.jsonl' has 31 requests", "at least 32");
    assertThat(tune(trace("one.jsonl", loop(1))).err()).contains("has 1 request,");
  }

  @Test
  void aJarIsTunedWheneverItIsBuilt() throws Exception {
    Path jar = policy("false").writeTo(home, "built.jar");
    LiveRun run =
        LiveRun.of(
            "tune",
            "aged",
            trace("loop.jsonl", loop(400)),
            "--jar",
            jar.toString(),
            "--watch",
            "--capacity",
            "8",
            "--config",
            config.toString());

    run.awaitOut("better: newest=true", 1);
    Path next = policy("true").writeTo(home, "next.jar");
    Files.move(next, jar, StandardCopyOption.REPLACE_EXISTING);
    run.awaitOut("keep the current settings", 1).interrupt();

    assertThat(run.end().exitCode()).isZero();
  }

  @Test
  void aPolicyThatEvictsNothingHasNothingToTune() {
    Run run = Run.of("tune", "none", "--requests", "100", "--config", config.toString());

    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err()).contains("'none'", "nothing to tune");
  }

  @Test
  void aPolicyWithoutSettingsHasNothingToTune() {
    Path jar = PluginJarBuilder.plugin("mine").policy("plain").writeTo(home, "mine.jar");

    Run run = Run.of("tune", "plain", "--jar", jar.toString(), "--config", config.toString());

    assertThat(run.err()).contains("'plain' has no settings, so there is nothing to tune");
  }

  @Test
  void aJarWithoutThePolicyIsRefused() throws Exception {
    Path jar = PluginJarBuilder.plugin("mine").policy("other").writeTo(home, "mine.jar");

    Run run = tune(trace("loop.jsonl", loop(100)), "--jar", jar.toString());

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("'mine.jar' has no policy named 'aged'", "[other]");
  }
}
