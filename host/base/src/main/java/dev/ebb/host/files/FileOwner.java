package dev.ebb.host.files;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The owners of files. */
public final class FileOwner {

  private static final int ROOT = 0;

  private FileOwner() {}

  /**
   * Returns the owner of a file if it is another user than that of this process, and not root.
   *
   * @return the name; empty also where files have no user numbers
   */
  public static Optional<String> foreign(Path file) {
    try {
      int owner = (Integer) Files.getAttribute(file, "unix:uid");
      boolean trusted = owner == ROOT || owner == new UnixSystem().getUid();
      return trusted ? Optional.empty() : Optional.of(Files.getOwner(file).getName());
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException none) {
      return Optional.empty();
    }
  }
}
