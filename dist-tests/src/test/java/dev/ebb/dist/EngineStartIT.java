package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.llama.testing.Engine;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** {@code ebb engine} from an unpacked archive, with the shipped policies. */
class EngineStartIT {

  private static final Pattern SERVING =
      Pattern.compile("ebb: serving 'demo' at (http://\\S+)/v1,");
  private static final int TERMINATED = 143;

  @TempDir private static Path folder = Path.of("");
  private static UnpackedArchive archive = new UnpackedArchive(folder);

  @BeforeAll
  static void unpack() throws IOException {
    archive = UnpackedArchive.in(folder);
  }

  private static ProcessBuilder ebb(String... arguments) {
    ProcessBuilder ebb =
        archive.ebb(
            Stream.concat(Stream.of("engine"), Arrays.stream(arguments)).toArray(String[]::new));
    // It would take longer to create than all starts take without it.
    ebb.environment().put("EBB_AOT_CACHE", "off");
    return ebb;
  }

  private static String text(Process process) throws Exception {
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).as(out).isTrue();
    return out;
  }

  @Test
  void servesADemoModel() throws Exception {
    Engine.assumeRuns();
    Process written = ebb("demo-model", "demo.gguf", "--layers", "1").start();
    assertThat(text(written)).contains("ebb: wrote 'demo.gguf'");
    serves(server("demo.gguf"));
  }

  @Test
  void servesAFolderWithJlama() throws Exception {
    Process written = ebb("demo-model", "demo", "--layers", "1", "--format", "safetensors").start();
    assertThat(text(written)).contains("ebb: wrote 'demo'");
    ProcessBuilder server = server("demo");
    // Jlama computes with vectors, which are slow without C2.
    server.environment().remove("EBB_JAVA_OPTS");
    serves(server);
  }

  private static ProcessBuilder server(String model) {
    return ebb(
        "start",
        model,
        "--port",
        "0",
        "--admin-port",
        "0",
        "--context",
        "512",
        "--enable-lifetime-prediction");
  }

  private static void serves(ProcessBuilder builder) throws Exception {
    Process server = builder.start();
    try (BufferedReader out = server.inputReader();
        HttpClient client = HttpClient.newHttpClient()) {
      String url = address(out);
      String prompt = "the cat sat on the hat ".repeat(6);
      JsonNode first = complete(client, url, prompt);
      assertThat(first.at("/usage/completion_tokens").intValue()).isEqualTo(8);
      assertThat(cached(first)).isZero();
      assertThat(cached(complete(client, url, prompt))).isPositive();
      assertThat(
              client
                  .send(
                      HttpRequest.newBuilder(URI.create(url + "/metrics")).build(),
                      HttpResponse.BodyHandlers.ofString())
                  .body())
          .contains("ebb_num_requests_running");
      server.toHandle().destroy();
      assertThat(server.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(server.exitValue()).isEqualTo(TERMINATED);
      assertThat(out.lines()).anyMatch(line -> line.matches(".* ebb: stopping.*SIGTERM"));
    } finally {
      server.destroyForcibly();
    }
  }

  private static String address(BufferedReader out) throws IOException {
    StringBuilder all = new StringBuilder();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      Matcher serving = SERVING.matcher(line);
      if (serving.find()) {
        return serving.group(1);
      }
      all.append(line).append('\n');
    }
    throw new AssertionError("it did not start: " + all);
  }

  private static int cached(JsonNode answer) {
    return answer.at("/usage/prompt_tokens_details/cached_tokens").intValue();
  }

  private static JsonNode complete(HttpClient client, String url, String prompt) throws Exception {
    HttpResponse<String> response =
        client.send(
            HttpRequest.newBuilder(URI.create(url + "/v1/completions"))
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"prompt\": \"%s\", \"max_tokens\": 8, \"temperature\": 0}"
                            .formatted(prompt)))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return new ObjectMapper().readTree(response.body());
  }
}
