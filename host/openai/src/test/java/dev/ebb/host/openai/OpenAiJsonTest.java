package dev.ebb.host.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.openai.CompletionRequest.Message;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class OpenAiJsonTest {

  private static final JsonMapper JSON = JsonMapper.shared();

  private static CompletionRequest request(String properties) {
    JsonNode document = JSON.readTree("{" + properties.replace('\'', '"') + "}");
    return OpenAiJson.request(document, CompletionRequest.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'n': 0 | n = '0' must be a whole number from 1 to 128",
        "'n': 1.5 | n = '1.5' must be a whole number from 1 to 128",
        "'n': 99999999999 | n = '99999999999' must be a whole number from 1 to 128",
        "'n': '2' | n = '2' must be a whole number from 1 to 128",
        "'n': '' | n = '' must be a whole number from 1 to 128",
        "'seed': 1e40 | seed = '",
        "'seed': true | seed = 'true' must be a whole number",
        "'temperature': -1 | temperature = '-1' must be a number from 0 to 100",
        "'top_p': 'x' | top_p = 'x' must be a number from 0 to 1",
        "'priority': 3000000000 | from -2147483648 to 2147483647",
        "'stream': 1 | stream = '1' must be true or false",
        "'stream_options': 7 | stream_options = '7' must be an object",
        "'stream_options': {'include_usage': 'x'} | stream_options.include_usage = 'x' must be true"
            + " or false",
        "'model': 7 | model = '7' must be a text",
        "'stop': [7] | stop[0] = '7' must be a text",
        "'messages': 7 | messages = '7' must be a list",
        "'messages': [7] | messages[0] = '7' must be an object",
        "'messages': [{'role': 7}] | messages[0].role = '7' must be a text",
        "'tools': 'f' | tools = 'f' must be a list"
      })
  void wrongPropertiesAreNamedWithWhatIsAllowed(String properties, String message) {
    assertThatThrownBy(() -> request(properties))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void propertiesHaveTheNamesOfTheApi() {
    CompletionRequest read =
        request(
            "'max_completion_tokens': 3, 'temperature': 2, 'stop': 'x', 'user': null, 'other': 1,"
                + " 'stream_options': {'include_usage': true}, 'return_after_s': 0.5");
    assertThat(read.maxCompletionTokens()).isEqualTo(3);
    assertThat(read.temperature()).isEqualTo(2);
    assertThat(read.stop()).containsExactly("x");
    assertThat(read.user()).isNull();
    assertThat(read.wantsUsage()).isTrue();
    assertThat(read.streams()).isFalse();
    assertThat(read.returnAfterS()).isEqualTo(0.5);
  }

  @Test
  void aRequestIsWrittenWithoutWhatIsNotGiven() {
    CompletionRequest plain = CompletionRequest.streamed("m", 5, false, null);
    assertThat(JSON.readTree(OpenAiJson.text(plain.withPrompt("p"))))
        .isEqualTo(
            JSON.readTree(
                """
                {"model": "m", "prompt": "p", "max_tokens": 5, "temperature": 0.0,
                 "stream": true, "stream_options": {"include_usage": true}}
                """));
    assertThat(OpenAiJson.text(plain.withMessages(List.of(Message.of("user", "hi")))))
        .contains("\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]")
        .doesNotContain("prompt", "user\":null");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"choices\": null, \"usage\": null, \"error\": null}",
        "{\"choices\": [{}], \"usage\": {\"prompt_tokens\": 7.0, \"more\": 1}}"
      })
  void answersOfOtherServersAreRead(String text) {
    CompletionAnswer answer = OpenAiJson.answer(text, CompletionAnswer.class);
    assertThat(answer.model()).isNull();
  }

  @Test
  void anErrorHasAllProperties() {
    assertThat(OpenAiJson.text(ApiError.of(404, "no", "model_not_found")))
        .isEqualTo(
            "{\"error\":{\"message\":\"no\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"model_not_found\"}}");
    assertThat(ApiError.of(429, "", null).error().type()).isEqualTo("rate_limit_error");
    assertThat(ApiError.of(503, "", null).error().type()).isEqualTo("server_error");
  }
}
