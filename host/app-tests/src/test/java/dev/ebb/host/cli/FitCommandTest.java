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

/** Fits profiles to traces, and replays what is generated from them. */
class FitCommandTest {

  private static final JsonMapper JSON = new JsonMapper();

  @TempDir private Path home;
  private Path config;

  @BeforeEach
  void dropLru() {
    Path plugins = Configs.plugins(home);
    PluginJarBuilder.plugin("recent")
        .rankedPolicy("recent", "entry.lastAccessTick()")
        .writeTo(plugins, "recent.jar");
    config = Configs.withPlugins(home);
  }

  @Test
  void aReplayOfTheProfileHasAsManyHitsAsTheFitSays() throws IOException {
    Run fit = fit(chats(), "--output", file("p.json"), "--html", file("fit.html"), "--json");
    assertThat(fit.exitCode()).as(fit.err()).isZero();
    assertThat(fit.err()).contains(file("p.json"), file("fit.html"));
    assertThat(home.resolve("fit.html")).content().startsWith("<!doctype html>");
    JsonNode report = JSON.readTree(fit.out());
    assertThat(report.get("requests").intValue()).isEqualTo(1_000);
    assertThat(report.get("sizes")).isNotEmpty();
    JsonNode point = report.get("lru").get(4);
    long capacity = point.get("blocks").longValue();

    JsonNode recorded = replayed(chats(), "-c", String.valueOf(capacity));
    JsonNode generated = replayed("--profile", file("p.json"), "-c", String.valueOf(capacity));

    assertThat(lru(recorded)).isEqualTo(point.get("recorded").doubleValue());
    assertThat(lru(generated)).isEqualTo(point.get("generated").doubleValue());
    JsonNode trace = generated.get("traces").get(0);
    assertThat(trace.get("trace").stringValue()).isEqualTo("profile p.json");
    assertThat(trace.get("requests").intValue()).isEqualTo(1_000);
    assertThat(trace.get("blockTokens").intValue()).isEqualTo(16);
  }

  @Test
  void theTableComparesBothTraces() throws IOException {
    Run fit = fit(chats(), "--output", file("p.json"));

    assertThat(fit.exitCode()).as(fit.err()).isZero();
    assertThat(fit.out())
        .contains("chat.jsonl: 1,000 requests", "RECORDED", "GENERATED", "reuse distance")
        .contains("largest difference of the LRU hit ratio: ");
  }

  @Test
  void aGeneratedTraceCanBeLongerAndSaved() throws IOException {
    assertThat(fit(chats(), "--output", file("p.json")).exitCode()).isZero();
    JsonNode report =
        replayed(
            "--profile",
            file("p.json"),
            "--requests",
            "1500",
            "--save",
            file("long.jsonl"),
            "-c",
            "100");

    assertThat(report.get("traces").get(0).get("requests").intValue()).isEqualTo(1_500);
    assertThat(home.resolve("long.jsonl")).content().hasLineCount(1_500);
    assertThat(lru(replayed(file("long.jsonl"), "-c", "100"))).isEqualTo(lru(report));
  }

  @Test
  void mistakesAreReportedWithTheirRemedy() throws IOException {
    String trace = chats();
    Path once =
        Files.writeString(
            home.resolve("once.jsonl"),
            "{\"timestamp\":0,\"input_length\":5,\"hash_ids\":[1]}\n"
                + "{\"timestamp\":9,\"input_length\":5,\"hash_ids\":[2]}\n");

    assertThat(fit(trace, "--output", trace).err())
        .contains("--output: '" + trace, "already exists");
    assertThat(fit(trace).err()).contains("--output");
    assertThat(fit(once.toString(), "--output", file("o.json")).err())
        .contains("once.jsonl", "no reuse", "longer trace");
    assertThat(home.resolve("o.json")).doesNotExist();
    assertThat(replay("--profile", trace).err())
        .contains("profile '" + trace, "ebb fit TRACE --output FILE");
    assertThat(replay("--profile", file("none.json")).err())
        .contains("none.json' does not exist", "ebb fit");
    assertThat(replay("--profile", file("p.json"), "--synthetic", "chat").err())
        .contains("either --synthetic", "--profile FILE");
    assertThat(replay("--requests", "10").err()).contains("either --synthetic", "--profile FILE");
    assertThat(replay().err()).contains("--profile FILE", "--synthetic chat");
  }

  /** Returns the path of a trace of 1,000 requests. */
  private String chats() throws IOException {
    Path trace = home.resolve("chat.jsonl");
    if (!Files.exists(trace)) {
      Run saved =
          replay(
              "--synthetic", "chat", "--requests", "1000", "--save", trace.toString(), "-c", "1");
      assertThat(saved.exitCode()).as(saved.err()).isZero();
    }
    return trace.toString();
  }

  private String file(String name) {
    return home.resolve(name).toString();
  }

  private static double lru(JsonNode report) {
    return report.get("runs").get(0).get("hitRatio").doubleValue();
  }

  private JsonNode replayed(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    Run run = replay(all.toArray(String[]::new));
    assertThat(run.exitCode()).as(run.err()).isZero();
    return JSON.readTree(run.out());
  }

  private Run replay(String... arguments) {
    List<String> all = new ArrayList<>(List.of("replay", "--config", config.toString()));
    all.addAll(List.of(arguments));
    return Run.of(all.toArray(String[]::new));
  }

  private static Run fit(String... arguments) {
    List<String> all = new ArrayList<>(List.of("fit"));
    all.addAll(List.of(arguments));
    return Run.of(all.toArray(String[]::new));
  }
}
