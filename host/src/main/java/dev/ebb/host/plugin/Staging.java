package dev.ebb.host.plugin;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;

/**
 * Copies dropped JARs to {@code <run>/plugins/<sha256>/<name>.jar}. Overwriting a loaded JAR breaks
 * its next lazily loaded class, and whoever drops files overwrites them; nobody does the copies.
 */
final class Staging {

  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rwx------");

  private final Path folder;

  private Staging(Path folder) {
    this.folder = folder;
  }

  /** Prepares the private folder. */
  static Staging in(Path run) {
    Path folder = run.resolve("plugins");
    try {
      createPrivate(folder);
      if (posix()) {
        Files.setPosixFilePermissions(folder, PRIVATE);
      }
    } catch (IOException unwritable) {
      throw new UserError(
          "cannot make the folder '%s' for loaded plugins (%s); choose another with ebb.plugins.run"
              .formatted(folder, unwritable));
    }
    return new Staging(folder);
  }

  StagedJar stage(Path file) {
    try {
      Path copy = Files.createTempFile(folder, "stage", ".tmp");
      try {
        String sha256 = copy(file, copy);
        Path ofHash = folder.resolve(sha256);
        createPrivate(ofHash);
        Path place = ofHash.resolve(file.getFileName());
        Files.move(copy, place, StandardCopyOption.ATOMIC_MOVE);
        return new StagedJar(file, place, sha256);
      } finally {
        Files.deleteIfExists(copy);
      }
    } catch (IOException unreadable) {
      throw new PluginRefusal("it cannot be read: " + unreadable);
    }
  }

  private static String copy(Path from, Path to) throws IOException {
    MessageDigest digest = sha256();
    try (InputStream in = new DigestInputStream(Files.newInputStream(from), digest)) {
      Files.copy(in, to, StandardCopyOption.REPLACE_EXISTING);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static void createPrivate(Path folder) throws IOException {
    FileAttribute<?>[] attributes =
        posix()
            ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PRIVATE)}
            : new FileAttribute<?>[0];
    Files.createDirectories(folder, attributes);
  }

  private static boolean posix() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
