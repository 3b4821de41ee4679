package dev.ebb.host.trace;

import dev.ebb.host.testing.SharedFiles;
import java.nio.file.Path;

/** Finds the recorded traces that lie beside the repository; tests without them are skipped. */
public final class SharedTraces {

  private SharedTraces() {}

  /** A file of the trace folder; skips the calling test if it is not there. */
  public static Path file(String name) {
    return SharedFiles.file("traces", name);
  }
}
