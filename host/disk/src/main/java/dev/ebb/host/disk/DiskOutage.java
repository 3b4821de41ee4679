package dev.ebb.host.disk;

import java.io.IOException;
import java.nio.file.NoSuchFileException;

/**
 * A time in which a disk is not used.
 *
 * @param since wall-clock milliseconds
 * @param reason why, for operators
 */
public record DiskOutage(long since, String reason) {

  static DiskOutage of(Exception failure) {
    if (failure instanceof NoSuchFileException missing) {
      return now("'%s' does not exist".formatted(missing.getFile()));
    }
    String message = failure.getMessage();
    return now(
        message != null && failure.getClass() == IOException.class ? message : failure.toString());
  }

  public static DiskOutage now(String reason) {
    return new DiskOutage(System.currentTimeMillis(), reason);
  }
}
