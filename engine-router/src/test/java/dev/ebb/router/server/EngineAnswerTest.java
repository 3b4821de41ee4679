package dev.ebb.router.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EngineAnswerTest {

  private static final String CHUNK =
      "data: {\"choices\":[{\"index\":0,\"text\":\"\\\"usage\\\" \\\"prompt_tokens\\\" ä\"}]}\n\n";
  private static final String USAGE =
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":40,\"prompt_tokens_details\":{\"cached_tokens\":32}}}\n\n";
  private static final String DONE = "data: [DONE]\n\n";

  /** Returns few bytes at a time, and fails at the end if asked to. */
  private static InputStream pieces(String text, long seed, boolean fails) {
    Random random = new Random(seed);
    return new ByteArrayInputStream(text.getBytes(UTF_8)) {
      @Override
      public synchronized int read(byte[] bytes, int offset, int length) {
        return super.read(bytes, offset, Math.min(length, 1 + random.nextInt(30)));
      }

      @Override
      public int read(byte[] bytes) throws IOException {
        int read = read(bytes, 0, bytes.length);
        if (read < 0 && fails) {
          throw new IOException("connection reset");
        }
        return read;
      }
    };
  }

  private static String copy(EngineAnswer answer) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    answer.awaitBeginning();
    assertThat(answer.copyTo(out)).isNull();
    return out.toString(UTF_8);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void aStreamPassesAsItIs(long seed) throws IOException {
    String stream = CHUNK + ":\n\n" + CHUNK + USAGE + DONE;
    EngineAnswer answer = new EngineAnswer(pieces(stream, seed, false), true, false);
    assertThat(copy(answer)).isEqualTo(stream);
    assertThat(answer.promptTokens()).isEqualTo(40);
    assertThat(answer.cachedTokens()).isEqualTo(32);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void aClientDoesNotSeeTheUsageThatItHasNotAskedFor(long seed) throws IOException {
    EngineAnswer answer =
        new EngineAnswer(pieces(":\n\n" + CHUNK + USAGE + DONE, seed, false), true, true);
    assertThat(copy(answer)).isEqualTo(CHUNK + DONE);
    assertThat(answer.cachedTokens()).isEqualTo(32);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "\"usage\":{\"prompt_tokens\":9,\"prompt_tokens_details\":{\"cached_tokens\":7}} | 9 | 7",
        "\"usage\":{\"prompt_tokens\":9,\"prompt_tokens_details\":null} | 9 | -1",
        "\"usage\":{\"prompt_tokens\":9},\"timings\":{\"cache_n\":5} | 9 | 5",
        "\"text\":\"\" | 0 | -1"
      })
  void aDocumentPassesWithoutBlanks(String usage, long prompt, long cached) throws IOException {
    String document = "{\"choices\":[{\"index\":0}]," + usage + "}\n";
    EngineAnswer answer = new EngineAnswer(pieces("  \n " + document, 1, false), false, false);
    assertThat(copy(answer)).isEqualTo(document);
    assertThat(answer.promptTokens()).isEqualTo(prompt);
    assertThat(answer.cachedTokens()).isEqualTo(cached);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", ":\n\n", ": waiting\n\n:\n"})
  void anAnswerThatDoesNotBeginHasFailed(String nothing) {
    for (boolean fails : new boolean[] {false, true}) {
      EngineAnswer answer = new EngineAnswer(pieces(nothing, 1, fails), true, false);
      assertThatThrownBy(answer::awaitBeginning)
          .isInstanceOf(fails ? IOException.class : EOFException.class);
    }
  }

  @Test
  void aBrokenStreamEndsWithAnError() throws IOException {
    EngineAnswer answer = new EngineAnswer(pieces(CHUNK + "data: {\"cho", 1, true), true, false);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    answer.awaitBeginning();
    assertThat(answer.copyTo(out)).hasMessage("connection reset");
    assertThat(out.toString(UTF_8))
        .startsWith(CHUNK + "data: {\"error\":")
        .contains("connection reset")
        .doesNotContain("[DONE]");
  }
}
