package dev.ebb.host.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Temporary folders of this process, and of processes that were killed. */
class TemporaryFolderTest {

  private static final String PREFIX = "ebb-test-";

  @TempDir private Path parent;

  @Test
  void itIsDeletedWithItsContentWhenItIsClosed() throws IOException {
    Path outside = Files.writeString(parent.resolve("outside"), "text");
    TemporaryFolder folder = TemporaryFolder.create(parent, PREFIX);
    Path inside = Files.createDirectory(folder.path().resolve("inside"));
    Files.writeString(inside.resolve("file"), "text");
    Files.createSymbolicLink(folder.path().resolve("link"), outside);

    folder.close();

    assertThat(parent).isDirectoryNotContaining("glob:**" + PREFIX + "*");
    assertThat(outside).hasContent("text");
  }

  @Test
  void theFolderOfAnEndedProcessIsDeleted() throws Exception {
    Path abandoned = Files.createDirectory(parent.resolve(PREFIX + endedProcess() + "-1"));
    Files.writeString(abandoned.resolve("file"), "text");

    TemporaryFolder.create(parent, PREFIX).close();

    assertThat(abandoned).doesNotExist();
  }

  @Test
  void otherFoldersAreKept() throws Exception {
    long ended = endedProcess();
    Path running =
        Files.createDirectory(parent.resolve(PREFIX + ProcessHandle.current().pid() + "-1"));
    Path otherPrefix = Files.createDirectory(parent.resolve("ebb-other-" + ended + "-1"));
    Path noProcess = Files.createDirectory(parent.resolve(PREFIX + "1x-1"));
    Path target = Files.createDirectory(parent.resolve("target"));
    Path file = Files.writeString(target.resolve("file"), "text");
    Path link = Files.createSymbolicLink(parent.resolve(PREFIX + ended + "-2"), target);

    TemporaryFolder.create(parent, PREFIX).close();

    assertThat(running).exists();
    assertThat(otherPrefix).exists();
    assertThat(noProcess).exists();
    assertThat(link).isSymbolicLink();
    assertThat(file).hasContent("text");
  }

  /** Returns the id of a process that has ended. */
  private static long endedProcess() throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process = new ProcessBuilder(java, "-version").redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    process.waitFor();
    return process.pid();
  }
}
