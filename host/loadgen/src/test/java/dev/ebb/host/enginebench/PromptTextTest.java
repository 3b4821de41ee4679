package dev.ebb.host.enginebench;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import org.junit.jupiter.api.Test;

class PromptTextTest {

  private static final PromptText TEXTS = new PromptText(16, 1, 1);

  private static EngineRequest request(long tokens, long... blocks) {
    return new EngineRequest(0, 0, null, 1, false, LongArrayList.of(blocks), tokens, 1);
  }

  private static int words(String text) {
    return text.strip().split(" ").length;
  }

  @Test
  void equalBlocksAreEqualText() {
    String first = TEXTS.of(request(48, 1, 2, 3));
    assertThat(TEXTS.of(request(64, 1, 2, 3, 4))).startsWith(first);
    assertThat(TEXTS.of(request(48, 5, 2, 3)))
        .doesNotStartWith(TEXTS.of(request(16, 1)))
        .endsWith(TEXTS.of(request(32, 2, 3)));
    assertThat(new PromptText(16, 1, 2).of(request(48, 1, 2, 3))).isNotEqualTo(first);
  }

  @Test
  void aPromptHasAWordForEachToken() {
    assertThat(words(TEXTS.of(request(64, 1, 2, 3, 4)))).isEqualTo(64);
    assertThat(words(TEXTS.of(request(50, 1, 2, 3, 4)))).isEqualTo(50);
    assertThat(words(new PromptText(16, 0.25, 1).of(request(64, 1, 2, 3, 4)))).isEqualTo(16);
  }

  @Test
  void tokensThatDoNotFitTheBlocksAreLimitedToThem() {
    assertThat(words(TEXTS.of(request(500, 1, 2)))).isEqualTo(32);
    assertThat(words(TEXTS.of(request(3, 1, 2)))).isEqualTo(17);
  }

  @Test
  void theEndOfAPromptIsTheEndOfItsText() {
    EngineRequest request = request(60, 1, 2, 3, 4);
    String all = TEXTS.of(request);
    for (int tokens = 1; tokens <= 60; tokens++) {
      String end = TEXTS.lastOf(request, tokens);
      assertThat(all).endsWith(end);
      assertThat(words(end)).isEqualTo(tokens);
    }
    assertThat(TEXTS.lastOf(request, 1000)).isEqualTo(all);
  }

  @Test
  void probesAreNoPrefixOfAPrompt() {
    assertThat(words(TEXTS.other(8))).isEqualTo(8);
    assertThat(TEXTS.other(40)).doesNotStartWith(TEXTS.other(8));
  }
}
