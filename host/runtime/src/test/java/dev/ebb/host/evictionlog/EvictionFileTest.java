package dev.ebb.host.evictionlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.core.status.ErrorStatus;
import dev.ebb.host.config.EvictionLogConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.Awaiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvictionFileTest {

  @TempDir private Path home;

  private final LoggedCache cache = new LoggedCache(10_000);

  private EvictionFile start(Path file, long bytes, int older) {
    return EvictionFile.start(cache.log(), new EvictionLogConfig(true, file, bytes, older));
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
            " key=key%202 tenant=- policy=builtin-lru cause=evicted by=demand reason=chosen group=-"
                + " bytes=1024 ")
        .contains(" accesses=1 ");
    assertThat(lines.getLast()).contains(" asked-bytes=1024 freed-bytes=1024 entries=1 ");
  }

  @Test
  void theFilesAreBounded() throws IOException {
    Path file = home.resolve("evictions.log");
    try (EvictionFile writer = start(file, 4_096, 2)) {
      assertThat(writer).isNotNull();
      evictUntil(() -> Files.exists(home.resolve("evictions.log.2")));
      FileTime rolled = lastModified("evictions.log.2");
      evictUntil(() -> !lastModified("evictions.log.2").equals(rolled));
    }
    try (Stream<Path> files = Files.list(home)) {
      assertThat(files.map(each -> each.getFileName().toString()))
          .containsExactlyInAnyOrder("evictions.log", "evictions.log.1", "evictions.log.2");
    }
  }

  private void evictUntil(BooleanSupplier condition) {
    Awaiting.until(() -> {
      cache.evict(100);
      return condition.getAsBoolean();
    });
  }

  /** The epoch while the files roll, when none has the name for a moment. */
  private FileTime lastModified(String name) {
    try {
      return Files.getLastModifiedTime(home.resolve(name));
    } catch (NoSuchFileException rolling) {
      return FileTime.fromMillis(0);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  @Test
  void aFullDiskCostsLinesAndNothingElse() throws IOException {
    Path full = Path.of("/dev/full");
    Assumptions.assumeTrue(Files.isWritable(full), "needs /dev/full");
    Path file = Files.createSymbolicLink(home.resolve("evictions.log"), full);
    int evicted = 500;
    try (EvictionFile writer = start(file, 1 << 20, 1)) {
      assertThat(writer).isNotNull();
      cache.evict(evicted);
      // The writer has opened the full disk, and opens the file again only after an error.
      Files.delete(file);
      while (!Files.exists(file) || Files.size(file) == 0) {
        cache.evict(1);
        evicted++;
        Awaiting.pause();
      }
    }
    assertThat(EvictionCursor.at(cache.log(), 0).read()).hasSize(evicted);
    List<String> lines =
        Files.readAllLines(file).stream()
            .filter(line -> line.contains(" event=eviction "))
            .toList();
    assertThat(lines).isNotEmpty().hasSizeLessThan(evicted).doesNotHaveDuplicates();
    assertThat(lines).allMatch(line -> line.startsWith("time=20") && line.contains(" accesses=1 "));
    assertThat(lines.getLast()).contains(" key=key%20" + evicted + " ");
  }

  @Test
  void theReasonOfTroubleIsThatOfTheSystem() {
    assertThat(
            RollingFile.reason(
                new ErrorStatus("IO failure", this, new IOException("No space left on device"))))
        .isEqualTo("No space left on device");
    assertThat(RollingFile.reason(new ErrorStatus("cannot roll", this))).isEqualTo("cannot roll");
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
