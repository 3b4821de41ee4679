package dev.ebb.host.store.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {

  @ParameterizedTest
  @CsvSource({
    "a*c, abc, true",
    "a*c, ac, true",
    "a*c, ab, false",
    "*, '', true",
    "'', '', true",
    "'', a, false",
    "?, '', false",
    "h[ae]llo, hallo, true",
    "h[^e]llo, hello, false",
    "h[a-c]llo, hbllo, true",
    "h[c-a]llo, hbllo, true",
    "h\\*llo, h*llo, true",
    "h\\*llo, hallo, false",
    "[\\]]x, ]x, true",
    "**a**, bab, true",
    "a\\, a\\, true",
    "[ab, a, true",
  })
  void matchesAsRedisDoes(String pattern, String text, boolean expected) {
    assertThat(matches(pattern, text)).isEqualTo(expected);
  }

  @Test
  void matchesLikeASearchOfAllWays() {
    Random random = new Random(7);
    for (int i = 0; i < 200_000; i++) {
      String pattern = text(random, "ab*?", random.nextInt(12));
      String text = text(random, "ab", random.nextInt(12));
      assertThat(matches(pattern, text))
          .as("%s %s", pattern, text)
          .isEqualTo(searched(pattern, text));
    }
  }

  @Test
  void matchesPatternsOfMoreElementsThanAWordHasBits() {
    for (int length = 60; length < 200; length++) {
      String text = "ab".repeat(length).substring(0, length);
      assertThat(matches("?".repeat(length), text)).isTrue();
      assertThat(matches("?".repeat(length - 1), text)).isFalse();
      assertThat(matches("*" + text + "*b", "xx" + text + "yyb")).isTrue();
      assertThat(matches("*a".repeat(length) + "*b", "a".repeat(length) + "bb")).isTrue();
      assertThat(matches("*a".repeat(length) + "*c", "a".repeat(length) + "bb")).isFalse();
    }
  }

  private static boolean matches(String pattern, String text) {
    return new Glob(pattern.getBytes(StandardCharsets.ISO_8859_1), false)
        .matches(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static boolean searched(String pattern, String text) {
    if (pattern.isEmpty()) {
      return text.isEmpty();
    }
    String rest = pattern.substring(1);
    if (pattern.charAt(0) == '*') {
      return searched(rest, text) || (!text.isEmpty() && searched(pattern, text.substring(1)));
    }
    return !text.isEmpty()
        && (pattern.charAt(0) == '?' || pattern.charAt(0) == text.charAt(0))
        && searched(rest, text.substring(1));
  }

  private static String text(Random random, String letters, int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(letters.charAt(random.nextInt(letters.length())));
    }
    return text.toString();
  }
}
