package dev.ebb.host.evictionlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvictionFileTest {

  @TempDir private Path home;

  private final LoggedCache cache = new LoggedCache(10_000);

  private EvictionFile start(Path file, long bytes, int older) {
    return EvictionFile.start(cache.source(), new LogFile(file, bytes, older));
  }

  @Test
  void everyEvictionAndEveryRunIsALine() throws IOException {
    Path file = home.resolve("logs/evictions.log");
    cache.evict(1);
    try (EvictionFile writer = start(file, 1 << 20, 1)) {
      assertThat(writer).isNotNull();
      cache.evict(2);
      cache.evict(1);
    }
    List<String> lines = Files.readAllLines(file);
    assertThat(lines).filteredOn(line -> line.contains(" event=eviction ")).hasSize(3);
    assertThat(lines).filteredOn(line -> line.contains(" event=pass ")).hasSize(2);
    assertThat(lines)
        .allMatch(
            line -> Stream.of(line.split(" ", -1)).allMatch(pair -> pair.matches("[a-z-]+=\\S+")));
    assertThat(lines.getFirst())
        .startsWith("time=20")
        .contains(
            " key=key%202 tenant=- policy=builtin-lru cause=evicted by=demand" + " bytes=1024 ")
        .contains(" accesses=1 ");
    assertThat(lines.getLast()).contains(" asked-bytes=1024 freed-bytes=1024 entries=1 ");
  }

  @Test
  void theFilesAreBounded() throws IOException {
    Path file = home.resolve("evictions.log");
    try (EvictionFile writer = start(file, 4_096, 2)) {
      assertThat(writer).isNotNull();
      while (!Files.exists(home.resolve("evictions.log.2"))) {
        cache.evict(100);
        Thread.onSpinWait();
        pause();
      }
      for (int i = 0; i < 20; i++) {
        cache.evict(100);
        pause();
      }
    }
    try (Stream<Path> files = Files.list(home)) {
      assertThat(files.map(each -> each.getFileName().toString()))
          .containsExactlyInAnyOrder("evictions.log", "evictions.log.1", "evictions.log.2");
    }
  }

  private static void pause() {
    try {
      Thread.sleep(100);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aFullDiskCostsLinesAndNothingElse() {
    Path full = Path.of("/dev/full");
    Assumptions.assumeTrue(Files.isWritable(full), "needs /dev/full");
    try (EvictionFile writer = start(full, 1 << 20, 1)) {
      assertThat(writer).isNotNull();
      cache.evict(500);
      pause();
      pause();
      pause();
      cache.evict(500);
    }
    assertThat(EvictionCursor.at(cache.source().log(), 0).read()).hasSize(1_000);
  }

  @Test
  void aFileThatCannotBeWrittenIsRefused() {
    Path notAFolder = home.resolve("file");
    try {
      Files.createFile(notAFolder);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    assertThatThrownBy(() -> start(notAFolder.resolve("evictions.log"), 1, 1))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("ebb.eviction.log-file");
  }
}
