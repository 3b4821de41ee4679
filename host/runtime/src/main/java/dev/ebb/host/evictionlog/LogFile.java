package dev.ebb.host.evictionlog;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;

/**
 * Where evictions are written to.
 *
 * @param file the file that is written now; older ones lie beside it as {@code <file>.1} and so on
 * @param bytes when another file is begun, at least 1
 * @param older how many older ones are kept, 1 to 20
 */
public record LogFile(Path file, long bytes, int older) {

  /** The most older files. */
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
