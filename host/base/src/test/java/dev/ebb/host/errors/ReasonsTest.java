package dev.ebb.host.errors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReasonsTest {

  @TempDir private Path home;

  @Test
  void aReasonNamesNoClassOfJava() throws IOException {
    Path file = Files.createFile(home.resolve("file"));

    assertThat(Reasons.of(catchThrowable(() -> Files.readString(home.resolve("missing")))))
        .isEqualTo("no such file or folder");
    assertThat(Reasons.of(catchThrowable(() -> Files.createDirectories(file.resolve("below")))))
        .doesNotContain("java", "null", file.toString())
        .isNotEmpty();
    assertThat(Reasons.of(new AccessDeniedException("file"))).isEqualTo("permission denied");
    assertThat(Reasons.of(new IOException("disk full"))).isEqualTo("disk full");
  }
}
