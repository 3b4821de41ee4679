package dev.ebb.host.switching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that is killed while it writes a state leaves the earlier one, or the new one. */
class KilledStateWriterTest {

  private static final int ROUNDS = 5;

  @TempDir private Path folder;

  /** Writes states until it is killed. */
  static final class Writer {

    private Writer() {}

    public static void main(String... arguments) throws IOException {
      for (int round = 0; true; round++) {
        byte[] bytes = new byte[1 << 20];
        Arrays.fill(bytes, (byte) round);
        new StateFile("plugin", round, bytes).write(Path.of(arguments[0]), "policy", "default");
        System.out.println(round);
      }
    }
  }

  @Test
  void theStateIsWholeAfterEachKill() throws Exception {
    Path file = StateFile.path(folder, "policy", "default");
    for (int i = 0; i < ROUNDS; i++) {
      Process writer =
          JavaProcess.of(Writer.class, file.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (var out = writer.inputReader()) {
        for (int written = 0; written <= i; written++) {
          assertThat(out.readLine()).isNotNull();
        }
        writer.destroyForcibly().waitFor();
      }
      StateFile read = StateFile.read(file, "policy", "default");
      assertThat(read.bytes()).hasSize(1 << 20).containsOnly((byte) read.format());
    }
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.filter(each -> each.toString().endsWith(".state"))).hasSize(1);
    }
  }
}
