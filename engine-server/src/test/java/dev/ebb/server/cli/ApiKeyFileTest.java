package dev.ebb.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiKeyFileTest {

  @TempDir private Path folder;

  private Map<String, String> read(String text) throws IOException {
    return ApiKeyFile.read(Files.writeString(folder.resolve("keys"), text));
  }

  @Test
  void aKeyAloneHasNoTenant() throws IOException {
    assertThat(read("sk-1\n")).containsExactly(Map.entry("sk-1", ""));
  }

  @Test
  void aLineNamesTheTenantOfItsKey() throws IOException {
    assertThat(read("# keys\nann sk-1\n\nann\tsk-2\nbob  sk-3\n"))
        .containsOnly(Map.entry("sk-1", "ann"), Map.entry("sk-2", "ann"), Map.entry("sk-3", "bob"));
  }

  @ParameterizedTest
  @CsvSource({
    "'', is empty",
    "'# nothing', is empty",
    "'ann sk-1;sk-2', entry '2'",
    "'ann sk-1;bob sk-1', repeats a key",
    "'ann sk-1 sk-2', tenant and its key"
  })
  void mistakesAreExplainedWithoutTheKey(String lines, String message) {
    assertThatThrownBy(() -> read(lines.replace(';', '\n')))
        .isInstanceOf(UserError.class)
        .hasMessageContaining(message)
        .hasMessageContaining("--api-key-file")
        .extracting(Throwable::getMessage)
        .asString()
        .doesNotContain("sk-1 sk-2");
  }
}
