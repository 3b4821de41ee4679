package dev.ebb.host.plugin.jar;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.files.Sha256;
import dev.ebb.host.units.ByteSize;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies dropped JARs to {@code <run>/plugins/<sha256>/<name>.jar}. Overwriting a loaded JAR breaks
 * its next lazily loaded class, and users overwrite dropped files; the copies are never
 * overwritten. If the folder cannot be written, as in a read-only installation, a temporary folder
 * is used until this is closed.
 */
public final class Staging implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Staging.class);

  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rwx------");

  /** The size limit of a JAR. */
  private static final long MOST_BYTES = 256L << 20;

  /** Copies unused for this long are deleted. */
  private static final Duration KEPT = Duration.ofDays(1);

  private final Path folder;
  private final boolean temporary;
  private final Set<String> staged = new HashSet<>();
  private @Nullable FolderUse use;
  private boolean failed;

  private Staging(Path folder, boolean temporary) {
    this.folder = folder;
    this.temporary = temporary;
  }

  public static Staging in(Path run) {
    Path folder = run.resolve("plugins");
    try {
      createPrivate(folder);
      if (posix()) {
        Files.setPosixFilePermissions(folder, PRIVATE);
      }
      Files.delete(Files.createTempFile(folder, "stage", ".tmp"));
      return new Staging(folder, false);
    } catch (IOException unwritable) {
      return inTemporary(folder, unwritable);
    }
  }

  private static Staging inTemporary(Path wanted, IOException unwritable) {
    try {
      Path folder = Files.createTempDirectory("ebb-plugins-");
      log.info("plugins staged folder={} instead={} reason={}", folder, wanted, unwritable);
      return new Staging(folder, true);
    } catch (IOException alsoUnwritable) {
      throw new UserError(
          "cannot create the folder '%s' for loaded plugins (%s), nor a temporary one (%s); choose another with ebb.plugins.run"
              .formatted(wanted, unwritable, alsoUnwritable));
    }
  }

  /** Deletes older copies after staging, unless another process may use them. */
  public void settle() {
    if (!temporary) {
      use = FolderUse.of(folder);
      if (use.isOnlyOne()) {
        StagedCopies.prune(folder, staged, Instant.now().minus(KEPT));
      }
      use.begin();
    }
  }

  @Override
  public void close() {
    if (use != null) {
      use.close();
    }
    if (temporary) {
      StagedCopies.delete(folder);
    }
  }

  /** Begins a scan, which tries every JAR again. */
  public void begin() {
    failed = false;
  }

  /** Returns whether a JAR could not be copied since the scan began. */
  public boolean hasFailed() {
    return failed;
  }

  public StagedJar stage(Path file) {
    try {
      checkSize(file);
      Path copy = Files.createTempFile(folder, "stage", ".tmp");
      try {
        String sha256 = copy(file, copy);
        Path ofHash = folder.resolve(sha256);
        createPrivate(ofHash);
        Path place = ofHash.resolve(file.getFileName());
        // A copy that this process has made may be loaded, and is never overwritten.
        if (!staged.contains(sha256) || !Files.exists(place)) {
          Files.move(copy, place, StandardCopyOption.ATOMIC_MOVE);
        }
        staged.add(sha256);
        return new StagedJar(file, place, sha256);
      } finally {
        Files.deleteIfExists(copy);
      }
    } catch (IOException failure) {
      if (failure instanceof FileSystemException at && file.toString().equals(at.getFile())) {
        throw new PluginRefusal("it cannot be read: " + failure);
      }
      failed = true;
      throw new PluginRefusal(
          "it cannot be copied to the folder '%s' for loaded plugins: %s; free space there, or choose another with ebb.plugins.run"
              .formatted(folder, failure));
    }
  }

  /** Refuses what has no end to read, such as a pipe, and what would fill the disk. */
  private static void checkSize(Path file) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    if (!attributes.isRegularFile()) {
      throw new PluginRefusal(
          "it is a folder, pipe or device, or a link to one; put a JAR file in its place");
    }
    if (attributes.size() > MOST_BYTES) {
      throw new PluginRefusal(
          "it has %s, but at most %s are allowed; make the JAR smaller"
              .formatted(ByteSize.format(attributes.size()), ByteSize.format(MOST_BYTES)));
    }
  }

  /** Deletes the copies that this has made and that nobody needs any more. */
  public void keep(Set<String> needed) {
    staged.removeIf(sha256 -> {
      boolean old = !needed.contains(sha256);
      if (old) {
        StagedCopies.delete(folder.resolve(sha256));
      }
      return old;
    });
  }

  private static String copy(Path from, Path to) throws IOException {
    MessageDigest digest = Sha256.digest();
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

  /** Deletes old copies of JARs. A copy that cannot be deleted stays and only takes space. */
  private static final class StagedCopies {

    private static final Pattern COPY = Pattern.compile("[0-9a-f]{64}|stage.*\\.tmp");

    private StagedCopies() {}

    /**
     * Deletes copies that were not used recently.
     *
     * @param folder their folder, with a subfolder named by each hash
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

    /** Deletes a file, or a folder with its content. */
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
}
