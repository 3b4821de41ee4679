package dev.ebb.llama.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.http.AccessTokens;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.testing.TestCertificate;
import dev.ebb.host.tls.TlsFiles;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.testing.Engine;
import dev.ebb.llama.testing.TinyModel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CompletionApiTest {

  private Path folder;
  private Path config;
  private TestServer server;
  private LlamaModel model;

  @BeforeAll
  void open(@TempDir Path temporary) throws IOException {
    Engine.assumeRuns();
    folder = temporary;
    config = TestServer.configure(folder);
    Path file =
        new TinyModel()
            .withChatTemplate("{{'<|im_start|>'}} chatml")
            .write(folder.resolve("tiny.gguf"));
    model = LlamaModel.open(file);
    server = TestServer.start(file, config, 1_024, 4, "lru");
  }

  @AfterAll
  void close() {
    if (server != null) {
      server.close();
      model.close();
    }
  }

  private static JsonNode json(HttpResponse<String> response) {
    return TestServer.JSON.readTree(response.body());
  }

  private HttpResponse<String> complete(Object... pairs) throws Exception {
    return post("/v1/completions", pairs);
  }

  private static Object[] chat(List<Map<String, String>> messages, int tokens, boolean stream) {
    return new Object[] {
      "messages",
      messages,
      "max_tokens",
      tokens,
      "temperature",
      0,
      "stream",
      stream,
      "ignore_eos",
      true
    };
  }

  private HttpResponse<String> post(String path, Object... pairs) throws Exception {
    Map<String, Object> body = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      body.put((String) pairs[i], pairs[i + 1]);
    }
    return server.post(path, body);
  }

  @Test
  void aCompletionHasTextAndUsage() throws Exception {
    HttpResponse<String> response =
        complete(
            "model",
            "tiny",
            "prompt",
            "the cat sat",
            "max_tokens",
            9,
            "temperature",
            0,
            "ignore_eos",
            true);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    JsonNode answer = json(response);
    int[] prompt = model.tokenize("the cat sat", false);
    assertThat(TestServer.text(answer))
        .isEqualTo(TestServer.text(model, TestServer.alone(model, prompt, 9)));
    assertThat(answer.get("object").stringValue()).isEqualTo("text_completion");
    assertThat(answer.get("choices").get(0).get("finish_reason").stringValue()).isEqualTo("length");
    assertThat(answer.get("usage").get("prompt_tokens").intValue()).isEqualTo(prompt.length);
    assertThat(answer.get("usage").get("completion_tokens").intValue()).isEqualTo(9);
    assertThat(answer.get("usage").get("total_tokens").intValue()).isEqualTo(prompt.length + 9);
  }

  @Test
  void anAnswerListsItsTokensIfTheClientAsks() throws Exception {
    JsonNode answer =
        json(complete("prompt", "the cat", "max_tokens", 9, "return_token_ids", true));
    assertThat(TestServer.text(model, TestServer.tokens(answer)))
        .isEqualTo(TestServer.text(answer));
    assertThat(json(complete("prompt", "the cat", "max_tokens", 9)).at("/choices/0/token_ids"))
        .isEmpty();
  }

  private static List<String> events(HttpResponse<String> response) {
    List<String> events = new ArrayList<>();
    for (String line : response.body().lines().toList()) {
      if (line.startsWith("data: ")) {
        events.add(line.substring("data: ".length()));
      }
    }
    return events;
  }

  @Test
  void aStreamHasTheSameTextAndEndsWithTheUsage() throws Exception {
    String whole =
        TestServer.text(json(complete("prompt", "the hat", "max_tokens", 20, "temperature", 0)));
    HttpResponse<String> response =
        complete(
            "prompt",
            "the hat",
            "max_tokens",
            20,
            "temperature",
            0,
            "stream",
            true,
            "stream_options",
            Map.of("include_usage", true));
    assertThat(response.headers().firstValue("Content-Type")).hasValue("text/event-stream");
    List<String> events = events(response);
    assertThat(events.getLast()).isEqualTo("[DONE]");
    JsonNode usage = TestServer.JSON.readTree(events.get(events.size() - 2));
    assertThat(usage.get("choices")).isEmpty();
    assertThat(usage.get("usage").get("completion_tokens").intValue()).isEqualTo(20);
    StringBuilder text = new StringBuilder();
    for (String event : events.subList(0, events.size() - 2)) {
      text.append(TestServer.text(TestServer.JSON.readTree(event)));
    }
    assertThat(text.toString()).isEqualTo(whole);
  }

  @Test
  void aChatUsesTheTemplateOfTheModel() throws Exception {
    List<Map<String, String>> messages =
        List.of(
            Map.of("role", "system", "content", "be short"),
            Map.of("role", "user", "content", "the cat"));
    HttpResponse<String> response = post("/v1/chat/completions", chat(messages, 8, false));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    JsonNode choice = json(response).get("choices").get(0);
    int[] prompt =
        model.tokenize(
            "<|im_start|>system\n"
                + "be short<|im_end|>\n"
                + "<|im_start|>user\n"
                + "the cat<|im_end|>\n"
                + "<|im_start|>assistant\n",
            true);
    String text = TestServer.text(model, TestServer.alone(model, prompt, 8));
    assertThat(choice.get("message").get("role").stringValue()).isEqualTo("assistant");
    assertThat(choice.get("message").get("content").stringValue()).isEqualTo(text);

    List<String> events = events(post("/v1/chat/completions", chat(messages, 8, true)));
    StringBuilder streamed = new StringBuilder();
    for (String event : events.subList(0, events.size() - 1)) {
      JsonNode delta = TestServer.JSON.readTree(event).get("choices").get(0).get("delta");
      streamed.append(delta.path("content").asString(""));
    }
    assertThat(streamed.toString()).isEqualTo(text);
  }

  @Test
  void aStopTextEndsTheAnswerBeforeIt() throws Exception {
    String whole =
        TestServer.text(json(complete("prompt", "on the mat", "max_tokens", 40, "temperature", 0)));
    String stop = whole.substring(10, 13);
    JsonNode answer =
        json(
            complete(
                "prompt",
                "on the mat",
                "max_tokens",
                40,
                "temperature",
                0,
                "stop",
                List.of("never", stop)));
    assertThat(TestServer.text(answer)).isEqualTo(whole.substring(0, whole.indexOf(stop)));
    assertThat(answer.get("choices").get(0).get("finish_reason").stringValue()).isEqualTo("stop");
  }

  @Test
  void equalSeedsDrawTheSame() throws Exception {
    Object[] request = {"prompt", "a hen", "max_tokens", 30, "temperature", 2, "seed", 5};
    String one = TestServer.text(json(complete(request)));
    assertThat(TestServer.text(json(complete(request)))).isEqualTo(one);
    assertThat(
            TestServer.text(
                json(
                    complete(
                        "prompt",
                        "a hen",
                        "max_tokens",
                        30,
                        "temperature",
                        2,
                        "seed",
                        6,
                        "top_p",
                        0.9))))
        .isNotEqualTo(one);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | 400 | 'prompt' is missing",
        "{\"prompt\": []} | 400 | empty",
        "{\"prompt\": [\"a\", {}]} | 400 | list of tokens",
        "{\"prompt\": [1, 99999]} | 400 | '99999'",
        "{\"prompt\": \"a\", \"suffix\": \"b\"} | 400 | not supported",
        "{\"prompt\": \"a\", \"temperature\": -1} | 400 | '-1'",
        "{\"prompt\": \"a\", \"stop\": \"\"} | 400 | stop = ''",
        "{\"prompt\": \"a\", \"stop\": [null]} | 400 | stop = 'null'",
        "{\"prompt\": \"a\", \"max_tokens\": 5000} | 400 | exceed the context of",
        "{\"prompt\": \"a\", \"model\": \"big\"} | 404 | use 'tiny'",
        "{\"prompt\": \"a\", \"return_token_ids\": true, \"stream\": true} | 400 | set stream to"
            + " false",
        "{\"prompt\": \"a\", \"return_after_s\": -1} | 400 | from 0 to 31536000",
        "{\"prompt\": \"a\", \"hint\": \"soon\"} | 400 | hint = 'soon'",
        "[] | 400 | JSON object",
        "{ | 400 | not JSON"
      })
  void mistakesAreExplainedInTheFormatOfOpenAi(String body, int status, String message)
      throws Exception {
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(
                server
                    .request("/v1/completions")
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(body))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    JsonNode error = json(response).get("error");
    assertThat(error.get("message").stringValue()).contains(message);
    assertThat(error.get("type").stringValue()).isEqualTo("invalid_request_error");
  }

  @Test
  void modelsHealthAndMetricsAreServed() throws Exception {
    assertThat(json(server.get("/v1/models")).get("data").get(0).get("id").stringValue())
        .isEqualTo("tiny");
    assertThat(json(server.get("/v1/models/tiny")).get("id").stringValue()).isEqualTo("tiny");
    JsonNode unknown = json(server.get("/v1/models/big%2Fmodel")).get("error");
    assertThat(unknown.get("code").stringValue()).isEqualTo("model_not_found");
    assertThat(unknown.get("message").stringValue()).contains("'big/model'", "use 'tiny'");
    assertThat(server.get("/health").statusCode()).isEqualTo(200);
    server.complete(TestServer.prompt(77, 20), 5);
    assertThat(server.get("/metrics").body())
        .contains(
            "ebb_num_requests_running",
            "ebb_num_requests_waiting",
            "ebb_computed_tokens_total",
            "ebb_prompt_tokens_total",
            "ebb_generation_tokens_total",
            "ebb_request_success_total{finished_reason=\"error\"} ",
            "ebb_request_refused_total{reason=\"queue-full\"} ",
            "ebb_e2e_request_latency_seconds_bucket")
        .containsPattern("ebb_time_to_first_token_seconds_count [1-9]")
        .containsPattern("ebb_inter_token_latency_seconds_count [1-9]")
        .containsPattern("ebb_request_queue_time_seconds_count [1-9]")
        .containsPattern("ebb_request_success_total\\{finished_reason=\"length\"} [1-9]");
    assertThat(json(server.get("/nothing")).get("error").get("message").stringValue())
        .contains("/nothing", "docs/engine.md");
    assertThat(json(server.get("/v1/chat/completion")).get("error").get("message").stringValue())
        .contains("did you mean '/v1/chat/completions'");
  }

  @Test
  void httpsAndAKeyAreRequiredIfConfigured(@TempDir Path keys) throws Exception {
    TestCertificate certificate = TestCertificate.of(keys, "localhost");
    HttpOptions http =
        new HttpOptions(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            AccessTokens.of("secret"),
            new TlsFiles(certificate.certificate(), certificate.key(), null),
            TestServer.NAMES);
    SchedulerOptions four =
        new SchedulerOptions(4, 64, 9, Duration.ofMinutes(1), false, Duration.ofSeconds(10), 1_024);
    try (TestServer safe =
            TestServer.start(
                folder.resolve("tiny.gguf"), config, 1_024, null, four, "lru", false, http, false);
        HttpClient client =
            HttpClient.newBuilder()
                .sslContext(new TlsFiles(null, null, null).clientOf(certificate.certificate()))
                .build()) {
      assertThat(safe.server.scheme()).isEqualTo("https");
      URI models =
          URI.create("https://localhost:%d/v1/models".formatted(safe.server.address().getPort()));
      HttpRequest.Builder request = HttpRequest.newBuilder(models);
      HttpResponse<String> refused =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(json(refused).get("error").get("message").stringValue())
          .contains("Bearer", "--api-key-file")
          .doesNotContain("ebb.admin.token");
      HttpResponse<String> answer =
          client.send(
              request.header("Authorization", "Bearer secret").build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aFullQueueAnswers429() throws Exception {
    SchedulerOptions one =
        new SchedulerOptions(1, 64, 1, Duration.ofMinutes(1), false, Duration.ofSeconds(10), 1_024);
    try (TestServer small =
            TestServer.start(folder.resolve("tiny.gguf"), config, 1_024, one, "lru");
        ExecutorService threads = Executors.newFixedThreadPool(6)) {
      List<Future<HttpResponse<String>>> responses = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        int[] prompt = TestServer.prompt(i, 60);
        responses.add(
            threads.submit(
                () -> small.post("/v1/completions", Map.of("prompt", prompt, "max_tokens", 500))));
      }
      int refused = 0;
      for (Future<HttpResponse<String>> response : responses) {
        if (response.get().statusCode() == 429) {
          refused++;
          assertThat(json(response.get()).get("error").get("code").stringValue())
              .isEqualTo("queue_full");
          assertThat(response.get().headers().firstValue("Retry-After")).isPresent();
        } else {
          assertThat(response.get().statusCode()).isEqualTo(200);
        }
      }
      assertThat(refused).isPositive();
    }
  }
}
