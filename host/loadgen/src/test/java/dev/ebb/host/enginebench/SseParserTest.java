package dev.ebb.host.enginebench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SseParserTest {

  private static List<String> parse(byte[]... pieces) {
    List<String> events = new ArrayList<>();
    SseParser parser = new SseParser(events::add);
    for (byte[] piece : pieces) {
      parser.feed(ByteBuffer.wrap(piece));
    }
    parser.end();
    return events;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r"})
  void anySplitGivesTheSameEvents(String lineEnd) {
    byte[] stream =
        bytes(
            ": comment\nevent: token\ndata: {\"ä\": 1}\n\ndata:two\ndata: lines\nid: 7\n\n\ndata: [DONE]\n\n"
                .replace("\n", lineEnd));
    for (int i = 0; i <= stream.length; i++) {
      byte[] first = Arrays.copyOfRange(stream, 0, i);
      byte[] second = Arrays.copyOfRange(stream, i, stream.length);
      assertThat(parse(first, second))
          .as("split at %d", i)
          .containsExactly("{\"ä\": 1}", "two\nlines", "[DONE]");
    }
  }

  @Test
  void singleBytesGiveTheSameEvents() {
    byte[] stream = bytes("\uFEFFdata: a\r\n\r\ndata: €\r\n\r\n");
    byte[][] pieces = new byte[stream.length][];
    for (int i = 0; i < stream.length; i++) {
      pieces[i] = new byte[] {stream[i]};
    }
    assertThat(parse(pieces)).containsExactly("a", "€");
  }

  @Test
  void aLastEventNeedsNoEmptyLine() {
    assertThat(parse(bytes("data: a\n\ndata: b"))).containsExactly("a", "b");
    assertThat(parse(bytes("data: a\n\n: end\n"))).containsExactly("a");
  }

  @Test
  void anEmptyDataFieldIsAnEvent() {
    assertThat(parse(bytes("data\n\ndata:\n\n"))).containsExactly("", "");
  }

  @Test
  void theErrorFieldOfLlamaCppIsAnErrorDocument() {
    assertThat(parse(bytes("error: {\"message\":\"m\"}\n\n")))
        .containsExactly("{\"error\":{\"message\":\"m\"}}");
  }
}
