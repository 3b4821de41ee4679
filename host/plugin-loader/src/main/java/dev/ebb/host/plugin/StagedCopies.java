package dev.ebb.host.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Throws away copies of JARs. What cannot be deleted stays, and costs room only. */
final class StagedCopies {

  private static final Pattern COPY = Pattern.compile("[0-9a-f]{64}|stage.*\\.tmp");

  private StagedCopies() {}

  /**
   * Deletes copies that were not used lately.
   *
   * @param folder where they are, each in a folder named by its hash
   * @param needed hashes that stay
   * @param before copies staged since stay too
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

  /** Deletes a file, or a folder and all in it. */
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
