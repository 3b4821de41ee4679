package dev.ebb.host.units;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShellWordTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain",
        "/opt/my folder/ebb",
        "$HOME",
        "a\"b",
        "a'b",
        "`id`",
        "back\\slash",
        "a;b|c&d>e*?",
        "",
        "lru(x=1)"
      })
  void aShellReadsTheWordBack(String text) throws Exception {
    Process shell = new ProcessBuilder("sh", "-c", "printf %s " + ShellWord.quote(text)).start();

    String read = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(shell.waitFor()).isZero();
    assertThat(read).isEqualTo(text);
  }

  @Test
  void quotesOnlyWhatNeedsIt() {
    assertThat(ShellWord.quote("target/my-policy-1.0.0.jar"))
        .isEqualTo("target/my-policy-1.0.0.jar");
    assertThat(ShellWord.quote("my folder")).isEqualTo("\"my folder\"");
  }
}
