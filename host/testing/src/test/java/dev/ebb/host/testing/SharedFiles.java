package dev.ebb.host.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds reference data beside the repository, or in the folder {@code EBB_SHARED}; tests without it
 * are skipped.
 */
public final class SharedFiles {

  private SharedFiles() {}

  /**
   * Returns a file, by its path in the shared folder; skips the calling test if it is not there.
   */
  public static Path file(String folder, String name) {
    Path file = folder(folder).resolve(name);
    assumeTrue(Files.isRegularFile(file), () -> "reference data not found: " + file);
    return file;
  }

  private static Path folder(String name) {
    String configured = configured();
    if (configured != null) {
      return Path.of(configured, name);
    }
    return Stream.iterate(Path.of("").toAbsolutePath(), at -> at != null, Path::getParent)
        .map(at -> at.resolve("shared").resolve(name))
        .filter(Files::isDirectory)
        .findFirst()
        .orElse(Path.of("shared", name));
  }

  private static @Nullable String configured() {
    String property = System.getProperty("ebb.shared");
    return property != null ? property : System.getenv("EBB_SHARED");
  }
}
