package dev.ebb.host.switching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.Awaiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderWatchTest {

  @TempDir private Path home;

  @Test
  void aFailureThatWritesToAWatchedFolderIsNotRepeatedAllTheTime() throws IOException {
    Path config = Files.createFile(home.resolve("ebb.conf"));
    Path folder = Files.createDirectory(home.resolve("plugins"));
    AtomicInteger tries = new AtomicInteger();
    FolderWatch.Actions actions =
        new FolderWatch.Actions(
            jars -> {
              log("try " + tries.incrementAndGet());
              throw new UserError("there is no plugin folder");
            },
            () -> {},
            () -> true);
    try (FolderWatch _ = FolderWatch.start(folder, config, Duration.ofHours(1), actions)) {
      Awaiting.until(() -> {
        log("wake up");
        return tries.get() > 0;
      });
      for (int i = 0; i < 100; i++) {
        log("line " + i);
        Awaiting.pause();
      }
      assertThat(tries).hasValue(1);
    }
  }

  private void log(String line) {
    try {
      Files.writeString(home.resolve("log"), line);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
