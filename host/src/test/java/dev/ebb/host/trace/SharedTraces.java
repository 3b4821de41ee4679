package dev.ebb.host.trace;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Finds the recorded traces that lie beside the repository; tests without them are skipped. */
public final class SharedTraces {

  private SharedTraces() {}

  /** A file of the trace folder; skips the calling test if it is not there. */
  public static Path file(String name) {
    Path file = folder().resolve(name);
    assumeTrue(Files.isRegularFile(file), () -> "recorded trace not found: " + file);
    return file;
  }

  private static Path folder() {
    String told = told();
    if (told != null) {
      return Path.of(told, "traces");
    }
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path folder = at.resolve("shared/traces");
      if (Files.isDirectory(folder)) {
        return folder;
      }
    }
    return Path.of("shared/traces");
  }

  private static @Nullable String told() {
    String property = System.getProperty("ebb.shared");
    return property != null ? property : System.getenv("EBB_SHARED");
  }
}
