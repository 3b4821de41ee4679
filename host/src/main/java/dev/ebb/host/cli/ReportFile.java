package dev.ebb.host.cli;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A file that a report is written to: whole or not at all, and never over a file that is something
 * else, such as the trace.
 */
final class ReportFile {

  private static final int HEAD = 64;

  private final Path path;
  private final String option;
  private final String start;

  /**
   * Checks at once that the file may be written later.
   *
   * @param text the path as given
   * @param option the option it was given to, for messages
   * @param start how every report of this kind starts
   * @throws UserError if it may not
   */
  ReportFile(String text, String option, String start) {
    this.option = option;
    this.start = start;
    try {
      path = Path.of(text).toAbsolutePath();
    } catch (InvalidPathException e) {
      throw new UserError("%s: '%s' is not a path".formatted(option, text));
    }
    check();
  }

  private void check() {
    Path folder = path.getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new UserError(
          "%s: the folder of '%s' does not exist; create it first".formatted(option, path));
    }
    if (Files.isDirectory(path)) {
      throw new UserError("%s: '%s' is a folder; name a file in it".formatted(option, path));
    }
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw new UserError(
          "%s: '%s' is a device or a pipe, and is left as it is; name a file"
              .formatted(option, path));
    }
    if (!Files.isWritable(folder)) {
      throw new UserError("%s: the folder of '%s' cannot be written".formatted(option, path));
    }
    if (Files.exists(path) && !isReport()) {
      throw new UserError(
          "%s: '%s' exists and is not a report of this kind; it is left as it is. Name another file"
              .formatted(option, path));
    }
  }

  private boolean isReport() {
    try (var in = Files.newInputStream(path)) {
      String head = new String(in.readNBytes(HEAD), StandardCharsets.UTF_8);
      return head.isEmpty() || head.startsWith(start);
    } catch (IOException e) {
      return false;
    }
  }

  void write(String text) {
    Path part = path.resolveSibling(path.getFileName() + ".part");
    try {
      Files.writeString(part, text);
      Files.move(part, path, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      try {
        Files.deleteIfExists(part);
      } catch (IOException leftBehind) {
        e.addSuppressed(leftBehind);
      }
      throw new UserError("%s: '%s' cannot be written: %s".formatted(option, path, e));
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
