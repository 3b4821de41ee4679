package dev.ebb.host.devkit;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.files.TemporaryFolder;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A temporary plugin folder for testing one JAR: a copy of the JAR, and a link to each installed
 * one, without other versions of the same plugin. Deleted when closed, or when the process ends.
 */
public final class CandidateFolder implements AutoCloseable {

  private static final String JAR = ".jar";
  private static final String INSTALLED = "installed-";

  private final TemporaryFolder folder;
  private final Path source;
  private final Path jar;

  private CandidateFolder(TemporaryFolder folder, Path source) {
    this.folder = folder;
    this.source = source;
    jar = folder.path().resolve(source.getFileName());
  }

  /**
   * Fills a temporary folder.
   *
   * @param installed the plugin folder; may be missing
   * @throws UserError if the JAR does not exist, or files cannot be copied
   */
  public static CandidateFolder of(Path jar, Path installed) {
    if (!Files.isRegularFile(jar)) {
      throw new UserError("'%s' does not exist, or is not a file; name a built JAR".formatted(jar));
    }
    if (!jar.getFileName().toString().endsWith(JAR)) {
      throw new UserError("'%s' does not end in .jar; name a built JAR".formatted(jar));
    }
    try {
      CandidateFolder copy = new CandidateFolder(TemporaryFolder.create("ebb-candidate-"), jar);
      try {
        copy.fill(jar, installed);
        return copy;
      } catch (IOException failed) {
        copy.close();
        throw failed;
      }
    } catch (IOException failed) {
      throw new UserError("'%s' cannot be copied to a temporary folder: %s".formatted(jar, failed));
    }
  }

  private void fill(Path from, Path installed) throws IOException {
    copy(from, jar);
    String id = pluginId(from);
    if (!Files.isDirectory(installed)) {
      return;
    }
    try (Stream<Path> others = Files.list(installed)) {
      for (Path other : others.filter(CandidateFolder::isJar).toList()) {
        String otherId = pluginId(other);
        if (otherId != null && !otherId.equals(id)) {
          link(other, folder.path().resolve(INSTALLED + other.getFileName()));
        }
      }
    }
  }

  /** Returns the installed name of a copied JAR; the name of any other file. */
  public static String installedName(Path file) {
    String name = file.getFileName().toString();
    return name.startsWith(INSTALLED) ? name.substring(INSTALLED.length()) : name;
  }

  /** Links to a file, or copies it if the file system has no links. */
  private static void link(Path from, Path to) throws IOException {
    try {
      Files.createSymbolicLink(to, from.toRealPath());
    } catch (FileSystemException | UnsupportedOperationException noLinks) {
      copy(from, to);
    }
  }

  /** Copies a file; only its owner may write the copy, because others are not loaded. */
  private static void copy(Path from, Path to) throws IOException {
    Files.copy(from, to);
    PosixFileAttributeView view = Files.getFileAttributeView(to, PosixFileAttributeView.class);
    if (view != null) {
      view.setPermissions(PosixFilePermissions.fromString("rw-------"));
    }
  }

  private static boolean isJar(Path file) {
    String name = file.getFileName().toString();
    return Files.isRegularFile(file) && name.endsWith(JAR) && !name.startsWith(".");
  }

  /** Returns the plugin's id; null if it is not a plugin, which the loader reports. */
  private static @Nullable String pluginId(Path file) {
    try (JarFile open = new JarFile(file.toFile(), false)) {
      Manifest manifest = open.getManifest();
      return manifest == null ? null : manifest.getMainAttributes().getValue("Plugin-Id");
    } catch (IOException | SecurityException unreadable) {
      return null;
    }
  }

  /** Returns the folder, for {@code ebb.plugins.folder}. */
  public Path folder() {
    return folder.path();
  }

  public Path source() {
    return source;
  }

  /** Returns the copy of the tested JAR in the folder. */
  public Path jar() {
    return jar;
  }

  @Override
  public void close() {
    folder.close();
  }
}
