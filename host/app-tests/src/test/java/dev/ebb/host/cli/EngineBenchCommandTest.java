package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.OpenAiServer;
import dev.ebb.host.testing.OpenAiServer.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class EngineBenchCommandTest {

  private final OpenAiServer server = OpenAiServer.start();

  @TempDir private Path directory = Path.of("");

  @AfterEach
  void stop() {
    server.close();
  }

  private Run run(String... more) {
    List<String> all =
        new ArrayList<>(
            List.of("bench", "engine", "--url", server.url(), "--requests", "20", "--users", "4"));
    all.addAll(List.of("--max-tokens", "4"));
    all.addAll(List.of(more));
    return Run.of(all.toArray(String[]::new));
  }

  @Test
  void theReportSaysWhatWasMeasured() throws IOException {
    Path page = directory.resolve("run.html");
    Run run = run("--html", page.toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains(OpenAiServer.MODEL, "synthetic chat", "8 clients", "20 requests")
        .contains("prefilled", "reused", "usage")
        .contains("first token", "inter-token", "p50", "p95", "p99", "requests/s", "tokens/s")
        .contains("Jain's index");
    assertThat(run.err()).contains("wrote " + page);
    assertThat(Files.readString(page)).startsWith("<!doctype html>").contains(OpenAiServer.MODEL);
  }

  @Test
  void jsonHasTheSameNumbers() throws IOException {
    Path key = Files.writeString(directory.resolve("key"), "secret-key-1\n");
    server.needing("secret-key-1");
    Run run = run("--api", "chat", "--api-key", "file:" + key, "--json", "--clients", "2");

    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode json = JsonMapper.shared().readTree(run.out());
    assertThat(json.get("requests").asInt()).isEqualTo(20);
    assertThat(json.get("promptTokens").asLong())
        .isEqualTo(json.get("prefilledTokens").asLong() + json.get("reusedTokens").asLong());
    assertThat(json.get("reusedShare").asDouble()).isBetween(0.1, 1.0);
    assertThat(json.get("reuseSource").asString()).isEqualTo("usage");
    assertThat(json.get("firstTokenMillis").get("p95").asDouble()).isPositive();
    assertThat(json.get("fairness").get("reuse").asDouble()).isBetween(0.0, 1.0);
    assertThat(run.out() + run.err()).doesNotContain("secret-key-1");
  }

  @Test
  void shortPromptsAreSentInPlaceOfLongOnes() {
    Run run = run("--max-input-tokens", "1200", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode json = JsonMapper.shared().readTree(run.out());
    assertThat(json.get("requests").asInt()).isEqualTo(20);
    assertThat(json.get("leftOut").asInt()).isPositive();
  }

  @Test
  void aRecordedTraceIsSentAtItsOwnPace() throws IOException {
    Path trace =
        Files.writeString(
            directory.resolve("trace.jsonl"),
            """
            {"timestamp":0,"input_length":1024,"output_length":2,"hash_ids":[1,2]}
            {"timestamp":5,"input_length":1500,"output_length":2,"hash_ids":[1,2,3]}
            """);
    Run run =
        Run.of(
            "bench",
            "engine",
            "--url",
            server.url() + "/v1",
            "--trace",
            trace.toString(),
            "--speed",
            "2",
            "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode json = JsonMapper.shared().readTree(run.out());
    assertThat(json.get("trace").asString()).isEqualTo("trace.jsonl");
    assertThat(json.get("promptTokens").asLong()).isEqualTo(1024 + 1500);
    assertThat(json.get("reusedTokens").asLong()).isEqualTo(1024);
  }

  @Test
  void aFailedRequestIsReportedAndFailsTheCommand() {
    server.behaving(number -> number == 5 ? Behaviour.BUSY : Behaviour.GOOD);
    Run run = run();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("'HTTP 429'", "too busy");
    assertThat(run.err()).doesNotContain("\tat ");
  }

  @Test
  void noServerIsReportedInOneLine() {
    server.close();
    Run run = run();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err().lines())
        .singleElement()
        .asString()
        .startsWith("ebb: no server listens at '" + server.url() + "'")
        .contains("--url");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--url|127.0.0.1|'127.0.0.1' is not the address",
        "--api|embeddings|'embeddings' is not one of completions, chat",
        "--clients|0|'0' must be 1 to 10000",
        "--rate|0|'0.0' must be a number above 0",
        "--speed|-1|'-1.0' must be a number above 0",
        "--requests|0|'0' must be at least 1",
        "--max-tokens|0|'0' must be 1 to",
        "--max-input-tokens|-5|'-5' must be at least 1",
        "--block-tokens|0|'0' must be 1 to",
        "--users|0|'0' must be 1 to",
        "--tenants|-1|'-1' must be 1 to",
        "--timeout|0|'0' must be a duration",
        "--synthetic|talk|'talk' is not one of chat, agent, fork, rag, zipf",
        "--api-key|file:none.key|'none.key' cannot be read",
        "--api-key|env:EBB_NO_SUCH_VARIABLE|'EBB_NO_SUCH_VARIABLE' is not set",
        "--cacert|ca.pem|is not https",
      })
  void aWrongValueIsWrongUsage(String option, String value, String message) {
    Run run = Run.of("bench", "engine", option, value);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains(message).contains(option);
  }

  @Test
  void aKeyOnTheCommandLineIsRefusedAndNotShown() {
    Run run = Run.of("bench", "engine", "--api-key", "sk-12345");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("env:NAME", "file:PATH").doesNotContain("sk-12345");
  }

  @Test
  void optionsThatExcludeEachOtherAreWrongUsage() {
    Run pace = Run.of("bench", "engine", "--clients", "2", "--rate", "5");
    assertThat(pace.exitCode()).isEqualTo(2);
    assertThat(pace.err()).contains("--clients, --rate and --speed");
    Run trace = Run.of("bench", "engine", "--trace", "a.jsonl", "--synthetic", "chat");
    assertThat(trace.exitCode()).isEqualTo(2);
    assertThat(trace.err()).contains("'a.jsonl'");
  }
}
