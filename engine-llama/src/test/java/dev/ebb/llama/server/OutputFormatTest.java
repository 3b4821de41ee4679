package dev.ebb.llama.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.llama.testing.Engine;
import dev.ebb.server.demo.RandomModel;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** JSON, functions, several answers and probabilities of tokens. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutputFormatTest {

  private static final List<Map<String, String>> CHAT =
      List.of(Map.of("role", "user", "content", "the weather in rome"));
  private static final Map<String, Object> PARAMETERS =
      Map.of(
          "type", "object",
          "properties", Map.of("city", Map.of("type", "string")),
          "required", List.of("city"));
  private static final List<Object> TOOLS =
      List.of(
          Map.of(
              "type",
              "function",
              "function",
              Map.of("name", "get_weather", "parameters", PARAMETERS)));

  private TestServer server;

  @BeforeAll
  void open(@TempDir Path folder) throws IOException {
    Engine.assumeRuns();
    Path file = folder.resolve("tiny.gguf");
    new RandomModel("tiny", new RandomModel.Shape(2, 4, 2, 16, 128, 4_096))
        .writingLetters()
        .withChatTemplate("{{'<|im_start|>'}} <tool_call>")
        .write(file, (name, weights) -> {});
    server = TestServer.start(file, TestServer.configure(folder), 2_048, 4, "lru");
  }

  @AfterAll
  void close() {
    if (server != null) {
      server.close();
    }
  }

  private JsonNode chat(Object... pairs) throws Exception {
    return json(post("/v1/chat/completions", "messages", CHAT, pairs));
  }

  private JsonNode complete(Object prompt, Object... pairs) throws Exception {
    return json(post("/v1/completions", "prompt", prompt, pairs));
  }

  private static JsonNode json(HttpResponse<String> response) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return TestServer.JSON.readTree(response.body());
  }

  private HttpResponse<String> post(String path, String name, Object value, Object... pairs)
      throws Exception {
    Map<String, Object> body = new HashMap<>(Map.of(name, value, "seed", 1));
    for (int i = 0; i < pairs.length; i += 2) {
      body.put((String) pairs[i], pairs[i + 1]);
    }
    return server.post(path, body);
  }

  @Test
  void jsonModeAnswersAnObject() throws Exception {
    JsonNode choice = chat("response_format", Map.of("type", "json_object")).at("/choices/0");
    assertThat(choice.get("finish_reason").stringValue()).isEqualTo("stop");
    String content = choice.at("/message/content").stringValue();
    assertThat(TestServer.JSON.readTree(content).isObject()).isTrue();
  }

  @Test
  void aSchemaIsKept() throws Exception {
    Object format =
        Map.of("type", "json_schema", "json_schema", Map.of("name", "w", "schema", PARAMETERS));
    String content = chat("response_format", format).at("/choices/0/message/content").stringValue();
    assertThat(TestServer.JSON.readTree(content).get("city").isString()).isTrue();
  }

  @Test
  void aRequiredFunctionIsCalled() throws Exception {
    long before = server.requests().ended("tool_calls");
    JsonNode choice = chat("tools", TOOLS, "tool_choice", "required").at("/choices/0");
    assertThat(choice.get("finish_reason").stringValue()).isEqualTo("tool_calls");
    assertThat(choice.at("/message/content").isNull()).isTrue();
    JsonNode call = choice.at("/message/tool_calls/0");
    assertThat(call.get("id").stringValue()).startsWith("call_");
    assertThat(call.at("/function/name").stringValue()).isEqualTo("get_weather");
    String arguments = call.at("/function/arguments").stringValue();
    assertThat(TestServer.JSON.readTree(arguments).get("city").isString()).isTrue();
    Awaiting.until(() -> server.requests().ended("tool_calls") == before + 1);
    assertThat(server.get("/metrics").body())
        .containsPattern("ebb_request_success_total\\{finished_reason=\"tool_calls\"} [1-9]");
  }

  @Test
  void aStreamHasTheSameCall() throws Exception {
    Object named = Map.of("type", "function", "function", Map.of("name", "get_weather"));
    String whole =
        chat("tools", TOOLS, "tool_choice", named)
            .at("/choices/0/message/tool_calls/0/function/arguments")
            .stringValue();
    HttpResponse<String> response =
        post(
            "/v1/chat/completions",
            "messages",
            CHAT,
            "tools",
            TOOLS,
            "tool_choice",
            named,
            "stream",
            true);
    List<JsonNode> choices = new ArrayList<>();
    for (String line : response.body().lines().toList()) {
      if (line.startsWith("data: {")) {
        choices.add(TestServer.JSON.readTree(line.substring(6)).at("/choices/0"));
      }
    }
    assertThat(choices.getLast().get("finish_reason").stringValue()).isEqualTo("tool_calls");
    assertThat(choices)
        .filteredOn(choice -> choice.at("/delta/tool_calls").isArray())
        .singleElement()
        .extracting(
            choice -> choice.at("/delta/tool_calls/0/function/arguments").stringValue(),
            choice -> choice.at("/delta/tool_calls/0/index").intValue())
        .containsExactly(whole, 0);
  }

  @Test
  void theResultOfACallIsPartOfTheConversation() throws Exception {
    Object call =
        Map.of(
            "id", "call_1",
            "type", "function",
            "function", Map.of("name", "get_weather", "arguments", "{\"city\": \"rome\"}"));
    List<Object> messages = new ArrayList<>(CHAT);
    messages.add(Map.of("role", "assistant", "tool_calls", List.of(call)));
    messages.add(Map.of("role", "tool", "tool_call_id", "call_1", "content", "sunny"));
    JsonNode longer =
        json(post("/v1/chat/completions", "messages", messages, "max_tokens", 4, "tools", TOOLS));
    assertThat(longer.at("/usage/prompt_tokens").intValue())
        .isGreaterThan(
            chat("max_tokens", 4, "tools", TOOLS).at("/usage/prompt_tokens").intValue() + 60);
  }

  @Test
  void severalPromptsHaveSeveralAnswers() throws Exception {
    JsonNode answer = complete(List.of("the cat", "on a mat"), "n", 2, "max_tokens", 12, "seed", 8);
    assertThat(answer.get("choices")).hasSize(4);
    for (int i = 0; i < 4; i++) {
      assertThat(answer.at("/choices/" + i + "/index").intValue()).isEqualTo(i);
    }
    assertThat(answer.at("/choices/0/text")).isNotEqualTo(answer.at("/choices/1/text"));
    assertThat(answer.at("/choices/2/text"))
        .isEqualTo(complete("on a mat", "max_tokens", 12, "seed", 8).at("/choices/0/text"));
    assertThat(answer.at("/usage/completion_tokens").intValue()).isEqualTo(48);
  }

  @Test
  void probabilitiesOfTokensAreThoseOfTheModel() throws Exception {
    JsonNode first =
        chat("logprobs", true, "top_logprobs", 3, "max_tokens", 5, "temperature", 0)
            .at("/choices/0/logprobs/content");
    assertThat(first).hasSize(5);
    for (JsonNode token : first) {
      assertThat(token.get("logprob").doubleValue()).isLessThanOrEqualTo(0);
      assertThat(token.get("top_logprobs")).hasSize(3);
      assertThat(token.at("/top_logprobs/0/bytes")).isEqualTo(token.get("bytes"));
      assertThat(token.at("/top_logprobs/0/logprob").doubleValue())
          .isGreaterThanOrEqualTo(token.at("/top_logprobs/1/logprob").doubleValue());
    }
    JsonNode old = complete("the cat", "logprobs", 2, "max_tokens", 5).at("/choices/0/logprobs");
    assertThat(old.get("tokens")).hasSize(5);
    assertThat(old.get("token_logprobs")).hasSize(5);
    assertThat(old.at("/text_offset/0").intValue()).isZero();
    assertThat(
            complete("a", "logprobs", 0, "max_tokens", 400, "ignore_eos", true, "temperature", 9)
                .at("/choices/0/logprobs/tokens"))
        .hasSize(400);
  }

  @Test
  void offsetsInAStreamAreThoseOfTheAnswer() throws Exception {
    HttpResponse<String> response =
        post("/v1/completions", "prompt", "a", "logprobs", 0, "max_tokens", 5, "stream", true);
    StringBuilder text = new StringBuilder();
    for (String line :
        response.body().lines().filter(each -> each.startsWith("data: {")).toList()) {
      JsonNode choice = TestServer.JSON.readTree(line.substring(6)).at("/choices/0");
      choice
          .at("/logprobs/text_offset")
          .forEach(offset -> assertThat(offset.intValue()).isGreaterThanOrEqualTo(text.length()));
      text.append(choice.get("text").stringValue());
    }
    assertThat(text).isNotEmpty();
  }

  @Test
  void penaltiesMakeAnAnswerRepeatLess() throws Exception {
    String plain = TestServer.text(complete("the", "max_tokens", 60, "temperature", 0));
    for (String penalty : List.of("presence_penalty", "frequency_penalty", "repetition_penalty")) {
      String other =
          TestServer.text(complete("the", "max_tokens", 60, "temperature", 0, penalty, 2));
      assertThat(other.chars().distinct().count())
          .as(penalty)
          .isGreaterThan(plain.chars().distinct().count());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"n\": 0 | n = '0'",
        "\"stream\": true, \"stream_options\": 7 | stream_options = '7'",
        "\"n\": 100, \"prompt\": [\"a\", \"b\"] | 128 answers",
        "\"presence_penalty\": 3 | from -2 to 2",
        "\"logprobs\": 21 | from 0 to 20",
        "\"top_logprobs\": 2 | needs logprobs",
        "\"response_format\": {\"type\": \"xml\"} | 'xml'",
        "\"response_format\": {\"type\": \"json_schema\"} | needs a schema",
        "\"tools\": [{}] | /v1/chat/completions",
        "\"response_format\": {\"type\": \"json_object\"}, \"ignore_eos\": true | ignore_eos"
      })
  void mistakesAreExplained(String property, String message) throws Exception {
    assertRefused("/v1/completions", new HashMap<>(Map.of("prompt", "a")), property, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'tools': 'f' | tools = 'f' must be a list",
        "'tools': [{'type': 'function', 'function': {'name': 'a b'}}] | with a name of letters",
        "'tools': [{'type': 'function', 'function': {'name': 'f', 'parameters': 7}}] | '7' is not a"
            + " schema",
        "'tool_choice': 'required' | needs tools",
        "'tools': [{'type': 'function', 'function': {'name': 'f'}}], 'tool_choice': 'f' |"
            + " tool_choice = 'f' must be",
        "'tools': [{'type': 'function', 'function': {'name': 'f'}}], 'parallel_tool_calls': 1 |"
            + " must be true or false",
        "'messages': [{'role': 'user', 'content': 7}] | content = '7'",
        "'messages': [7] | messages[0] = '7' must be an object",
        "'messages': [{'content': 'a'}] | needs a role",
        "'messages': [null] | needs a role",
        "'response_format': 'json' | response_format = 'json' must have the type"
      })
  void mistakesInChatsAreExplained(String property, String message) throws Exception {
    assertRefused(
        "/v1/chat/completions",
        new HashMap<>(Map.of("messages", CHAT)),
        property.replace('\'', '"'),
        message);
  }

  @Test
  void aGrammarThatLlamaCppRefusesIsReportedBeforeTheAnswer() throws Exception {
    String parameters =
        """
        {"$ref": "#/$defs/a", "$defs": {
          "a": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/b"}}, {"$ref": "#/$defs/b"}]},
          "b": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}}}
        """;
    String tools =
        "\"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"f\", \"parameters\": %s}}]"
            .formatted(parameters);
    assertRefused(
        "/v1/chat/completions", new HashMap<>(Map.of("messages", CHAT)), tools, "llama.cpp");
  }

  private void assertRefused(String path, Map<String, Object> body, String property, String message)
      throws Exception {
    TestServer.JSON
        .readTree("{" + property + "}")
        .properties()
        .forEach(each -> body.put(each.getKey(), each.getValue()));
    HttpResponse<String> response = server.post(path, body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
    assertThat(TestServer.JSON.readTree(response.body()).at("/error/message").stringValue())
        .contains(message);
  }

  @Test
  void aFunctionThatIsNotListedIsRefused() throws Exception {
    Object other = Map.of("type", "function", "function", Map.of("name", "other"));
    HttpResponse<String> response =
        post("/v1/chat/completions", "messages", CHAT, "tools", TOOLS, "tool_choice", other);
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("'other'", "get_weather");
  }
}
