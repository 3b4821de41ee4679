package dev.ebb.host.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A file being written beside the one that is meant, under its name and {@code .part}. It takes the
 * other's place when it is {@link #commit committed}; else nothing of it stays, also if the process
 * is told to end meanwhile.
 */
public final class PartFile implements AutoCloseable {

  private final Path target;
  private final Path part;
  private final Thread onShutdown;

  /**
   * A file not written yet.
   *
   * @param file the one that is meant; if it is a link, the file it leads to
   */
  public PartFile(Path file) {
    target = target(file);
    part = target.resolveSibling(target.getFileName() + ".part");
    onShutdown = new Thread(this::discard, "discard " + part);
    Runtime.getRuntime().addShutdownHook(onShutdown);
  }

  /**
   * Where to write.
   *
   * @return the file beside the one that is meant
   */
  public Path path() {
    return part;
  }

  /**
   * Puts the file in its place, over one that is there.
   *
   * @throws IOException if that cannot be done
   */
  public void commit() throws IOException {
    Files.move(part, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Deletes what was not committed. */
  @Override
  public void close() {
    discard();
    try {
      Runtime.getRuntime().removeShutdownHook(onShutdown);
    } catch (IllegalStateException endingAlready) {
      // Then it runs, and finds nothing.
    }
  }

  private void discard() {
    try {
      Files.deleteIfExists(part);
    } catch (IOException e) {
      // Whoever writes here has been told, or will be, by a write that fails.
    }
  }

  /**
   * The file that is written when a path is.
   *
   * @param file a path, possibly a link
   * @return what it leads to, whether that exists or not
   */
  public static Path target(Path file) {
    Path place = file.toAbsolutePath();
    try {
      for (int links = 0; links < 40 && Files.isSymbolicLink(place); links++) {
        place = place.resolveSibling(Files.readSymbolicLink(place));
      }
    } catch (IOException unreadable) {
      return place;
    }
    return place;
  }
}
