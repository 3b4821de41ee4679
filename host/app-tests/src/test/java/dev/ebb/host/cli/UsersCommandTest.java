package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.login.PasswordHash;
import dev.ebb.host.testing.JavaProcess;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsersCommandTest {

  private static char[] piped(String text) throws IOException {
    return UsersCommand.piped(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void theFirstLineIsThePassword() throws IOException {
    assertThat(piped("secret")).containsExactly("secret".toCharArray());
    assertThat(piped("secret\n")).containsExactly("secret".toCharArray());
    assertThat(piped("secret\r\nmore")).containsExactly("secret".toCharArray());
    assertThat(piped("p\u00e4ss w\u00f6rd\n")).containsExactly("p\u00e4ss w\u00f6rd".toCharArray());
  }

  @ParameterizedTest
  @CsvSource({"'', no password", "'\n', no password"})
  void noPasswordIsRefused(String text, String message) {
    assertThatThrownBy(() -> piped(text))
        .isInstanceOf(UserError.class)
        .hasMessageContaining(message);
  }

  @Test
  void aLongPasswordAndOtherEncodingsAreRefused() {
    assertThatThrownBy(() -> piped("p".repeat(2_000))).hasMessageContaining("'1024'");
    assertThatThrownBy(
            () -> UsersCommand.piped(new ByteArrayInputStream(new byte[] {(byte) 0xff, '\n'})))
        .hasMessageContaining("UTF-8");
  }

  @Test
  void theCommandPrintsTheHash(@TempDir Path home) throws Exception {
    Path input = Files.writeString(home.resolve("in"), "secret\n");
    Process ebb =
        JavaProcess.of(EbbMain.class, "users", "hash")
            .redirectInput(input.toFile())
            .redirectError(home.resolve("err").toFile())
            .start();
    String out = new String(ebb.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(ebb.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(ebb.exitValue()).as(Files.readString(home.resolve("err"))).isZero();
    assertThat(
            PasswordHash.parse(out.strip())
                .orElseThrow()
                .matches("secret".getBytes(StandardCharsets.UTF_8)))
        .isTrue();
  }
}
