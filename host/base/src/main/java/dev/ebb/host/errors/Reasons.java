package dev.ebb.host.errors;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Describes why input or output failed, without names of Java. */
public final class Reasons {

  private Reasons() {}

  /** Returns a short description; never empty. */
  public static String of(Throwable failure) {
    if (failure instanceof NoSuchFileException) {
      return "no such file or folder";
    }
    if (failure instanceof AccessDeniedException) {
      return "permission denied";
    }
    String message =
        failure instanceof FileSystemException file ? file.getReason() : failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
