package dev.ebb.host.files;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.CodeSource;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Detects files that other users could replace or write. The user of this process, root, and the
 * owner of Ebb's own code are not others.
 */
public final class FileTrust {

  private static final int STICKY = 01000;

  private FileTrust() {}

  /** Returns a clause with a folder whose owner, or who can write it, could replace a file. */
  public static Optional<String> problemAbove(Path file) {
    return folders(file).stream()
        .flatMap(folder -> foreignOwner(folder).stream())
        .findFirst()
        .or(() -> writableAbove(file));
  }

  /** Returns a clause with the permissions of the first folder above that other users can write. */
  public static Optional<String> writableAbove(Path file) {
    return folders(file).stream()
        .filter(folder -> !isSticky(folder))
        .flatMap(folder -> writable(folder).stream())
        .findFirst();
  }

  /** Returns a clause with the owner of a file if it is another user. */
  public static Optional<String> foreignOwner(Path file) {
    try {
      Integer owner = uid(file);
      boolean trusted =
          owner == null
              || owner == 0
              || owner == new UnixSystem().getUid()
              || owner.equals(ofCode());
      return trusted
          ? Optional.empty()
          : Optional.of(
              "'%s' belongs to '%s'"
                  .formatted(file, Files.getOwner(file, LinkOption.NOFOLLOW_LINKS).getName()));
    } catch (IOException gone) {
      return Optional.empty();
    }
  }

  /** Returns a clause with the permissions of a file if other users can write it. */
  public static Optional<String> writable(Path file) {
    try {
      PosixFileAttributes attributes =
          Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      Set<PosixFilePermission> permissions = attributes.permissions();
      // Many systems give each user a group of the same name, without other members.
      boolean ownGroup = attributes.group().getName().equals(attributes.owner().getName());
      boolean writable =
          permissions.contains(PosixFilePermission.OTHERS_WRITE)
              || (permissions.contains(PosixFilePermission.GROUP_WRITE) && !ownGroup);
      return !writable || attributes.isSymbolicLink() || Files.getFileStore(file).isReadOnly()
          ? Optional.empty()
          : Optional.of(
              "other users can write '%s' (%s)"
                  .formatted(file, PosixFilePermissions.toString(permissions)));
    } catch (IOException | UnsupportedOperationException unknown) {
      return Optional.empty();
    }
  }

  /** Returns the folders above a path as it is given, and above the file that it leads to. */
  private static Set<Path> folders(Path file) {
    Set<Path> folders = new LinkedHashSet<>();
    addParents(file.toAbsolutePath(), folders);
    try {
      addParents(file.toRealPath(), folders);
    } catch (IOException gone) {
      // The code that reads the file reports this.
    }
    return folders;
  }

  private static void addParents(Path file, Set<Path> folders) {
    for (Path folder = file.getParent(); folder != null; folder = folder.getParent()) {
      folders.add(folder);
    }
  }

  /** Returns whether only owners can replace what is in a folder, as in {@code /tmp}. */
  private static boolean isSticky(Path folder) {
    try {
      return ((Integer) Files.getAttribute(folder, "unix:mode") & STICKY) != 0;
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException unknown) {
      return false;
    }
  }

  private static @Nullable Integer uid(Path file) throws IOException {
    try {
      return (Integer) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    } catch (UnsupportedOperationException | IllegalArgumentException none) {
      return null;
    }
  }

  private static @Nullable Integer ofCode() {
    CodeSource source = FileTrust.class.getProtectionDomain().getCodeSource();
    try {
      return source == null ? null : uid(Path.of(source.getLocation().toURI()));
    } catch (IOException | URISyntaxException | RuntimeException notAFile) {
      return null;
    }
  }
}
