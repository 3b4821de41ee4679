package dev.ebb.host.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTextTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "a b/c%", "schlüssel", "ключ 🔑", "hex", "Hex:00", "model@1@0@h@bf16"})
  void textIsTextOnBothSides(String text) {
    assertThat(KeyText.parse(text).bytes()).asString().isEqualTo(text);
    assertThat(KeyText.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @CsvSource({"hex:00ff", "hex:0a", "hex:1b5b324a", "hex:", "hex:6865783a", "hex:e280ae61"})
  void whatIsNoPlainTextIsShownAsDigits(String digits) {
    assertThat(KeyText.parse(digits)).hasToString(digits);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hex:0", "hex:zz", "hex:00 ff", "hex:0x10"})
  void wrongDigitsAreRefused(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> KeyText.parse(text));
  }

  @Test
  void everyKeyCanBeTypedAsItIsShown() {
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] key = new byte[random.nextInt(6)];
      random.nextBytes(key);
      KeyText shown = KeyText.ofDocument(percents(key));
      assertThat(KeyText.parse(shown.toString()).bytes()).isEqualTo(key);
      assertThat(shown.toString().chars()).noneMatch(Character::isISOControl);
    }
  }

  /** Every byte as a percent sign and its digits. */
  private static String percents(byte[] key) {
    StringBuilder text = new StringBuilder();
    for (byte each : key) {
      text.append("%%%02X".formatted(each));
    }
    return text.toString();
  }
}
