package dev.ebb.host.files;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder that is deleted when it is closed, or when the process is asked to exit. Its name has
 * the process id, so that the next process deletes the folders of processes that were killed.
 */
public final class TemporaryFolder implements AutoCloseable {

  private final Path path;
  private final Thread onShutdown;

  private TemporaryFolder(Path path) {
    this.path = path;
    onShutdown = new Thread(() -> delete(path), "delete " + path);
    Runtime.getRuntime().addShutdownHook(onShutdown);
  }

  /** Creates a folder for temporary files with a prefix, and deletes abandoned ones. */
  public static TemporaryFolder create(String prefix) throws IOException {
    return in(Files.createTempDirectory(named(prefix)), prefix);
  }

  static TemporaryFolder create(Path parent, String prefix) throws IOException {
    return in(Files.createTempDirectory(parent, named(prefix)), prefix);
  }

  private static String named(String prefix) {
    return prefix + ProcessHandle.current().pid() + "-";
  }

  private static TemporaryFolder in(Path path, String prefix) {
    TemporaryFolder folder = new TemporaryFolder(path);
    deleteAbandoned(path, prefix);
    return folder;
  }

  /** Deletes the folders of the same user whose processes have ended. */
  private static void deleteAbandoned(Path own, String prefix) {
    Pattern name = Pattern.compile(Pattern.quote(prefix) + "(\\d{1,18})-.*");
    try (Stream<Path> others = Files.list(requireNonNull(own.getParent()))) {
      UserPrincipal user = Files.getOwner(own);
      others
          .filter(other -> isAbandoned(other, name.matcher(String.valueOf(other.getFileName()))))
          .filter(other -> user.equals(owner(other)))
          .forEach(TemporaryFolder::delete);
    } catch (IOException | UncheckedIOException | UnsupportedOperationException unreadable) {
      // The system deletes its temporary files.
    }
  }

  private static boolean isAbandoned(Path folder, Matcher name) {
    return name.matches()
        && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
        && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty();
  }

  private static @Nullable UserPrincipal owner(Path folder) {
    try {
      return Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS);
    } catch (IOException gone) {
      return null;
    }
  }

  public Path path() {
    return path;
  }

  @Override
  public void close() {
    delete(path);
    try {
      Runtime.getRuntime().removeShutdownHook(onShutdown);
    } catch (IllegalStateException endingAlready) {
      // The hook then runs, and finds nothing.
    }
  }

  /** Deletes a folder and its content; links in it are deleted, not followed. */
  private static void delete(Path folder) {
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path each, @Nullable IOException failed)
                throws IOException {
              Files.deleteIfExists(each);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException stays) {
      // The next process tries again.
    }
  }
}
