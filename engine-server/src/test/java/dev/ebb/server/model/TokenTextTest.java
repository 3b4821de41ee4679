package dev.ebb.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TokenTextTest {

  @Test
  void waitsForTheRestOfACharacter() {
    TokenText text = new TokenText();
    byte[] bytes = "a€𝄞".getBytes(StandardCharsets.UTF_8);
    StringBuilder out = new StringBuilder();
    for (byte one : bytes) {
      out.append(text.add(new byte[] {one}));
    }
    assertThat(out.toString()).isEqualTo("a€𝄞");
    assertThat(text.end()).isEmpty();
  }

  @Test
  void replacesWhatIsNoCharacter() {
    TokenText text = new TokenText();
    assertThat(text.add(new byte[] {(byte) 0xFF, 'x'})).isEqualTo("\uFFFDx");
    assertThat(text.add(new byte[] {(byte) 0xE2, (byte) 0x82})).isEmpty();
    assertThat(text.end()).isEqualTo("\uFFFD");
  }
}
