package dev.ebb.host.plugin.jar;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Deletes old copies of JARs. A copy that cannot be deleted stays and only takes space. */
final class StagedCopies {

  private static final Pattern COPY = Pattern.compile("[0-9a-f]{64}|stage.*\\.tmp");

  private StagedCopies() {}

  /**
   * Deletes copies that were not used recently.
   *
   * @param folder their folder, with a subfolder named by each hash
   */
  static void prune(Path folder, Set<String> needed, Instant before) {
    try (Stream<Path> copies = Files.list(folder)) {
      copies.filter(copy -> isOld(copy, needed, before)).forEach(StagedCopies::delete);
    } catch (IOException unreadable) {
      // The next start tries again.
    }
  }

  private static boolean isOld(Path copy, Set<String> needed, Instant before) {
    String name = String.valueOf(copy.getFileName());
    try {
      return COPY.matcher(name).matches()
          && !needed.contains(name)
          && Files.getLastModifiedTime(copy).toInstant().isBefore(before);
    } catch (IOException gone) {
      return false;
    }
  }

  /** Deletes a file, or a folder with its content. */
  static void delete(Path path) {
    try {
      if (Files.isDirectory(path)) {
        try (Stream<Path> inside = Files.list(path)) {
          inside.forEach(StagedCopies::delete);
        }
      }
      Files.deleteIfExists(path);
    } catch (IOException stays) {
      // The next start tries again.
    }
  }
}
