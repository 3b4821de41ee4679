package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.options.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Waits for other versions of a file, such as a JAR that is built again. */
final class FileWatch {

  private static final Duration POLL = Duration.ofMillis(300);

  private record Version(long size, FileTime modified, @Nullable Object file) {}

  private final Path path;
  private @Nullable Version known;

  /** Creates a watch that knows the file as it is now. */
  FileWatch(Path path) {
    this.path = path;
    known = version();
  }

  Path path() {
    return path;
  }

  /**
   * Waits until the file is another one, and nobody is writing it.
   *
   * @return false if the thread was interrupted
   */
  boolean awaitChange() {
    Version last = known;
    while (ServerOptions.pause(POLL)) {
      Version now = version();
      if (now != null && now.equals(last) && !now.equals(known)) {
        known = now;
        return true;
      }
      last = now;
    }
    return false;
  }

  /** Returns the present version; null if there is no file. */
  private @Nullable Version version() {
    try {
      BasicFileAttributes read = Files.readAttributes(path, BasicFileAttributes.class);
      return new Version(read.size(), read.lastModifiedTime(), read.fileKey());
    } catch (IOException missing) {
      return null;
    }
  }
}
