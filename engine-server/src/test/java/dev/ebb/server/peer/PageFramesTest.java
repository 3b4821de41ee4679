package dev.ebb.server.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.engine.EngineConfig.Role;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PageFramesTest {

  private static final PeerPrompt PROMPT =
      new PeerPrompt(
          new PeerModel("m", "w", "p", Role.BOTH, "i"),
          "ann",
          null,
          "s",
          2,
          new int[] {7, 8},
          3,
          4);

  private static List<byte[]> pages(Random random, int count, int size) {
    List<byte[]> pages = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] page = new byte[size];
      random.nextBytes(page);
      pages.add(page);
    }
    return pages;
  }

  @Test
  void whatIsWrittenIsRead() {
    Random random = new Random(1);
    for (int i = 0; i < 50; i++) {
      int size = 1 + random.nextInt(300);
      List<byte[]> pages = pages(random, random.nextInt(5), size);
      PageFrames read = PageFrames.of(new PageFrames(PROMPT, pages).bytes(), size);
      assertThat(read.pages()).usingRecursiveComparison().isEqualTo(pages);
      assertThat(read.prompt()).usingRecursiveComparison().isEqualTo(PROMPT);
    }
  }

  @Test
  void anyDamageIsNoticed() {
    Random random = new Random(2);
    byte[] whole = new PageFrames(PROMPT, pages(random, 3, 40)).bytes();
    int first = whole.length - 3 * 44;
    for (int i = 0; i < 200; i++) {
      byte[] damaged = whole.clone();
      damaged[first + random.nextInt(3 * 44)] ^= (byte) (1 << random.nextInt(8));
      assertThatThrownBy(() -> PageFrames.of(damaged, 40))
          .isInstanceOf(IllegalArgumentException.class);
      byte[] cut = Arrays.copyOf(whole, first + 1 + random.nextInt(3 * 44 - 1));
      boolean between = (cut.length - first) % 44 == 0;
      if (!between) {
        assertThatThrownBy(() -> PageFrames.of(cut, 40))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
    for (int length = 0; length < first; length += 7) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> PageFrames.of(cut, 40)).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
