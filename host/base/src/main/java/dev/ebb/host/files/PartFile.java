package dev.ebb.host.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A file written under its name with the suffix {@code .part}. It replaces the target when it is
 * {@link #commit committed}; otherwise it is deleted, also if the process is asked to exit
 * meanwhile.
 */
public final class PartFile implements AutoCloseable {

  private final Path target;
  private final Path part;
  private final Thread onShutdown;

  /** Creates a file that is not written yet; of a link, the target is what it leads to. */
  public PartFile(Path file) {
    target = target(file);
    part = target.resolveSibling(target.getFileName() + ".part");
    onShutdown = new Thread(this::discard, "discard " + part);
    Runtime.getRuntime().addShutdownHook(onShutdown);
  }

  public Path path() {
    return part;
  }

  /** Moves the file to its target, in place of an existing one. */
  public void commit() throws IOException {
    Files.move(part, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void close() {
    discard();
    try {
      Runtime.getRuntime().removeShutdownHook(onShutdown);
    } catch (IllegalStateException endingAlready) {
      // The hook then runs, and finds nothing.
    }
  }

  private void discard() {
    try {
      Files.deleteIfExists(part);
    } catch (IOException e) {
      // The writer learns of the failure from a write that fails.
    }
  }

  /** Returns the file that a path, possibly a link, leads to, whether it exists or not. */
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
