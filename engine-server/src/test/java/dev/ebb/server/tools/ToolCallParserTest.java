package dev.ebb.server.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.openai.CompletionRequest.FunctionCall;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ToolCallParserTest {

  private static final String CALL =
      "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call>";

  private static ToolCallParser parser(ToolFormat format) {
    return new ToolCallParser(format, Set.of("add"));
  }

  @Test
  void callsAreSeparatedFromTheTextBeforeThemHoweverItArrives() {
    String text = "I add < them " + CALL + "\n" + CALL;
    for (int step = 1; step < text.length(); step += 3) {
      ToolCallParser parser = parser(ToolFormat.HERMES);
      StringBuilder content = new StringBuilder();
      for (int i = 0; i < text.length(); i += step) {
        content.append(parser.add(text.substring(i, Math.min(text.length(), i + step))));
      }
      content.append(parser.rest());
      assertThat(content.toString()).isEqualTo("I add < them ");
      assertThat(parser.calls())
          .containsExactly(
              new FunctionCall("add", "{\"a\":1}"), new FunctionCall("add", "{\"a\":1}"));
    }
  }

  @Test
  void textThatOnlyLooksLikeACallIsContent() {
    for (String text :
        new String[] {
          "a <tool",
          "<tool_call>{\"name\": \"gone\", \"arguments\": {}}</tool_call>",
          "<tool_call>{"
        }) {
      ToolCallParser parser = parser(ToolFormat.HERMES);
      assertThat(parser.add(text) + parser.rest()).isEqualTo(text);
      assertThat(parser.calls()).isEmpty();
    }
  }

  @Test
  void anAnswerOfLlamaIsACallAsAWhole() {
    ToolCallParser parser = parser(ToolFormat.LLAMA);
    assertThat(parser.add("{\"name\": \"add\", \"parameters\": {\"a\": 2}}") + parser.rest())
        .isEmpty();
    assertThat(parser.calls()).containsExactly(new FunctionCall("add", "{\"a\":2}"));
    ToolCallParser text = parser(ToolFormat.LLAMA);
    assertThat(text.add("It is {2}") + text.rest()).isEqualTo("It is {2}");
  }

  @Test
  void formatsAreThoseOfChatTemplates() {
    assertThat(ToolFormat.of("... <tool_call> ...")).contains(ToolFormat.HERMES);
    assertThat(ToolFormat.of("<|start_header_id|> {% if tools %}")).contains(ToolFormat.LLAMA);
    assertThat(ToolFormat.of("<|im_start|>")).isEmpty();
  }
}
