package dev.ebb.router.prompt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.http.HttpException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class RoutedPromptTest {

  private static final JsonMapper JSON = new JsonMapper();

  private static RoutedPrompt read(Object body, boolean chat) {
    return RoutedPrompt.read(JSON.writeValueAsBytes(body), chat, "", false);
  }

  private static long[] blocks(Object body, boolean chat) {
    return read(body, chat).prompts().getFirst().blocks();
  }

  private static String text(long seed, int length) {
    return new Random(seed)
        .ints(length, 'a', 'z' + 1)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static int common(long[] a, long[] b) {
    int same = 0;
    while (same < Math.min(a.length, b.length) && a[same] == b[same]) {
      same++;
    }
    return same;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void aPromptHasTheBlocksOfItsPrefix(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 40; i++) {
      int shared = random.nextInt(1_000);
      String prefix = text(random.nextLong(), shared);
      long[] a = blocks(Map.of("prompt", prefix + "A" + text(1, 200)), false);
      long[] b = blocks(Map.of("prompt", prefix + "B" + text(1, 200)), false);
      assertThat(common(a, b)).as("seed %d", seed).isEqualTo(shared / PromptChain.CHARACTERS);
      int[] ids = random.ints(shared + 40, 0, 1_000).toArray();
      int[] other = ids.clone();
      other[shared]++;
      assertThat(
              common(blocks(Map.of("prompt", ids), false), blocks(Map.of("prompt", other), false)))
          .as("seed %d", seed)
          .isEqualTo(shared / PromptChain.TOKENS);
    }
  }

  @Test
  void theNextTurnOfAChatContinuesIt() {
    List<Map<String, Object>> messages = new ArrayList<>();
    long[] before = {};
    for (int turn = 0; turn < 5; turn++) {
      messages.add(Map.of("role", "user", "content", text(turn, 150)));
      long[] now = blocks(Map.of("messages", messages), true);
      assertThat(common(before, now)).isEqualTo(before.length);
      assertThat(now).hasSizeGreaterThan(before.length);
      before = now;
      messages.add(Map.of("role", "assistant", "content", text(100 + turn, 90)));
    }
  }

  @Test
  void whatIsNotSharedHasOtherBlocks() {
    String prompt = text(1, 100);
    List<Map<String, String>> bodies =
        List.of(
            Map.of("prompt", prompt),
            Map.of("prompt", prompt, "model", "m"),
            Map.of("prompt", prompt, "user", "ann"),
            Map.of("prompt", prompt, "cache_salt", "ann"));
    List<Long> first = new ArrayList<>();
    bodies.forEach(body -> first.add(blocks(body, false)[0]));
    byte[] body = JSON.writeValueAsBytes(bodies.getFirst());
    first.add(RoutedPrompt.read(body, false, "ann", false).prompts().getFirst().blocks()[0]);
    assertThat(first).doesNotHaveDuplicates();
    // Tenants share, if they are to.
    assertThat(
            RoutedPrompt.read(JSON.writeValueAsBytes(bodies.get(2)), false, "bob", true)
                .prompts()
                .getFirst()
                .blocks()[0])
        .isEqualTo(RoutedPrompt.read(body, false, "", true).prompts().getFirst().blocks()[0]);
  }

  @Test
  void severalPromptsAreRead() {
    assertThat(read(Map.of("prompt", List.of(text(1, 70), text(2, 130))), false).prompts())
        .extracting(prompt -> prompt.blocks().length)
        .containsExactly(1, 2);
    assertThat(read(Map.of("prompt", List.of(List.of(1, 2), List.of(3))), false).prompts())
        .extracting(PromptChain::length)
        .containsExactly(2.0 / 16, 1.0 / 16);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{}", "[]", "5", "{\"prompt\": {}}", "{\"prompt\": []}", "{\"messages\": 3}"})
  void enginesExplainWhatCannotBeRead(String body) {
    for (boolean chat : new boolean[] {false, true}) {
      RoutedPrompt read = RoutedPrompt.read(body.getBytes(UTF_8), chat, "", false);
      assertThat(read.body()).asString(UTF_8).isEqualTo(body);
    }
  }

  @Test
  void aBodyMustBeJson() {
    assertThatThrownBy(() -> RoutedPrompt.read("{".getBytes(UTF_8), false, "", false))
        .isInstanceOf(HttpException.class);
  }

  @Test
  void aStreamIsAskedForItsUsage() {
    String asked = " {\"stream\": true, \"temperature\": 1e-7, \"prompt\": \"a\"}";
    RoutedPrompt read = RoutedPrompt.read(asked.getBytes(UTF_8), false, "", false);
    assertThat(read.addsUsage()).isTrue();
    assertThat(read.body())
        .asString(UTF_8)
        .isEqualTo(
            " {\"stream_options\":{\"include_usage\":true},\"stream\": true, \"temperature\": 1e-7, \"prompt\": \"a\"}");
    for (String as : List.of("{\"stream\": true, \"stream_options\": {}}", "{\"stream\": false}")) {
      RoutedPrompt kept = RoutedPrompt.read(as.getBytes(UTF_8), false, "", false);
      assertThat(kept.addsUsage()).isFalse();
      assertThat(kept.body()).asString(UTF_8).isEqualTo(as);
    }
  }
}
