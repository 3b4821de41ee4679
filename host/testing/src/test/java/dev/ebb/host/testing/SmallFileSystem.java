package dev.ebb.host.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** A file system in memory with a size, which only root can mount. */
public final class SmallFileSystem implements AutoCloseable {

  private final Path folder;

  private SmallFileSystem(Path folder) {
    this.folder = folder;
  }

  /**
   * Mounts one; the test is skipped if it may not.
   *
   * @param folder an empty folder
   * @param mebibytes its size
   */
  public static SmallFileSystem mount(Path folder, int mebibytes)
      throws IOException, InterruptedException {
    String option = "size=" + mebibytes + "m";
    Assumptions.assumeTrue(
        Files.exists(Path.of("/proc/mounts"))
            && run("mount", "-t", "tmpfs", "-o", option, "tmpfs", folder.toString()) == 0,
        "cannot mount a tmpfs; run the test as root on Linux");
    return new SmallFileSystem(folder);
  }

  /** Returns its folder. */
  public Path folder() {
    return folder;
  }

  /** Writes a file until there is no space left. */
  public void fill() throws IOException {
    byte[] bytes = new byte[64 << 10];
    try (OutputStream out = Files.newOutputStream(folder.resolve("other"))) {
      while (Files.getFileStore(folder).getUsableSpace() > 0) {
        out.write(bytes);
      }
    } catch (IOException full) {
      if (Files.getFileStore(folder).getUsableSpace() > 0) {
        throw full;
      }
    }
  }

  /** Removes what {@link #fill} has written. */
  public void empty() throws IOException {
    Files.deleteIfExists(folder.resolve("other"));
  }

  /** Lets nothing be written to it any more, or again. No file may be open for writing. */
  public void readOnly(boolean on) throws IOException, InterruptedException {
    String option = "remount," + (on ? "ro" : "rw");
    if (run("mount", "-o", option, folder.toString()) != 0) {
      throw new IOException("cannot mount '%s' with '%s'".formatted(folder, option));
    }
  }

  private static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  /** Unmounts it, also while files of it are open. */
  @Override
  public void close() throws IOException {
    try {
      run("umount", "-l", folder.toString());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
