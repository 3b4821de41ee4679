package dev.ebb.host.evictionlog;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;

/**
 * The eviction log's file and its rotation.
 *
 * @param file the current file; rotated files are named {@code <file>.1} and so on
 * @param bytes the size at which the file is rotated, at least 1
 * @param older how many rotated files are kept, 1 to 20
 */
public record LogFile(Path file, long bytes, int older) {

  /** The largest allowed number of rotated files. */
  public static final int MOST_OLDER = 20;

  /** Checks the numbers. */
  public LogFile {
    requireNonNull(file, "file is null");
    if (bytes < 1 || older < 1 || older > MOST_OLDER) {
      throw new IllegalArgumentException(
          "bytes '%d' must be at least 1, older '%d' 1 to %d".formatted(bytes, older, MOST_OLDER));
    }
  }
}
