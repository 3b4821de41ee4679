package dev.ebb.host.cli.output;

import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.files.PartFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * A file that the user wants written. Problems are reported before anything is run, and a file with
 * other content, such as the trace, is never overwritten.
 */
public final class OutputFile {

  private static final int HEAD = 64;

  private static final String PAGE_START = "<!doctype html>";

  private final String option;
  private final Path path;
  private final Path target;

  /**
   * Checks that the file can be written.
   *
   * @param text the path as given; a link's target is written
   * @param option its option, for messages
   * @throws UserError if it cannot
   */
  public OutputFile(String text, String option) {
    this.option = option;
    if (text.isBlank() || text.equals("-")) {
      throw new UserError("%s: '%s' is not a file; specify a file name".formatted(option, text));
    }
    try {
      path = Path.of(text).toAbsolutePath();
    } catch (InvalidPathException e) {
      throw new UserError("%s: '%s' is not a path".formatted(option, text));
    }
    target = PartFile.target(path);
    checkPlace();
  }

  private void checkPlace() {
    Path folder = target.getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw wrong("lies in a folder that does not exist; create it first");
    }
    if (Files.isDirectory(target)) {
      throw wrong("is a folder; name a file in it");
    }
    if (Files.exists(target) && !Files.isRegularFile(target)) {
      throw wrong("is a device or a pipe; name a file");
    }
    if (!canCreateIn(folder)) {
      throw wrong("lies in a folder that cannot be written; name another");
    }
  }

  /** Tries it, because permissions say nothing about root, nor about file systems like /proc. */
  private static boolean canCreateIn(Path folder) {
    try {
      Files.delete(Files.createTempFile(folder, ".ebb", ".part"));
      return true;
    } catch (IOException refused) {
      return false;
    }
  }

  public OutputFile mustBeNew() {
    if (Files.exists(target)) {
      throw wrong("already exists; name another file");
    }
    return this;
  }

  /** Refuses an existing file that is not an HTML page; an empty one may be overwritten. */
  public OutputFile mustBePage() {
    if (Files.exists(target) && !startsWith(PAGE_START)) {
      throw wrong("exists and is not a report of this kind; name another file");
    }
    return this;
  }

  /** Refuses a file with another meaning on the command line. */
  public void mustNotBe(Path other, String what) {
    if (isSame(other)) {
      throw wrong("is also " + what + "; name another file");
    }
  }

  private boolean isSame(Path other) {
    try {
      Path place = PartFile.target(other);
      return target.normalize().equals(place.normalize())
          || (Files.exists(target) && Files.exists(place) && Files.isSameFile(target, place));
    } catch (IOException unknown) {
      return false;
    }
  }

  private boolean startsWith(String start) {
    try (var in = Files.newInputStream(target)) {
      String head = new String(in.readNBytes(HEAD), StandardCharsets.UTF_8);
      return head.isEmpty() || head.startsWith(start);
    } catch (IOException e) {
      return false;
    }
  }

  public Path path() {
    return path;
  }

  public void write(String text) {
    try (PartFile part = new PartFile(target)) {
      Files.writeString(part.path(), text);
      part.commit();
    } catch (IOException e) {
      throw new UserError("%s: '%s' cannot be written: %s".formatted(option, path, Reasons.of(e)));
    }
  }

  private UserError wrong(String what) {
    return new UserError("%s: '%s' %s".formatted(option, path, what));
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
