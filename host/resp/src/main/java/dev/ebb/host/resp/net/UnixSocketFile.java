package dev.ebb.host.resp.net;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The file of a Unix domain socket. Only the user of the server can connect. The socket is bound in
 * a private folder and then moved, because a new socket file has the permissions of the umask.
 */
public final class UnixSocketFile implements AutoCloseable {

  /** The longest address that every system accepts. */
  private static final int MOST_BYTES = 103;

  private final Path file;
  private final Path folder;
  private @Nullable Object identity;

  private UnixSocketFile(Path file, Path folder) {
    this.file = file;
    this.folder = folder;
  }

  /**
   * Prepares a socket file. A file that a dead server left is replaced later.
   *
   * @throws UserError if the path cannot be used, or another server listens there
   */
  public static UnixSocketFile prepare(Path path) {
    Path file = path.toAbsolutePath();
    Path parent = Objects.requireNonNullElse(file.getParent(), file);
    Path folder = parent.resolve("." + Long.toString(System.nanoTime() & 0xFFFFFF, 36));
    UnixSocketFile socket = new UnixSocketFile(file, folder);
    int bytes = Math.max(bytes(file), bytes(socket.bound()));
    if (bytes > MOST_BYTES) {
      throw failure(
          file,
          "the path is %d bytes too long; choose a shorter one".formatted(bytes - MOST_BYTES));
    }
    try {
      refuseOthersFile(file);
      Files.createDirectory(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      return socket;
    } catch (IOException refused) {
      throw unusable(file, refused);
    }
  }

  /** Returns the path to bind; {@link #publish} moves it. */
  public Path bound() {
    return folder.resolve("s");
  }

  /** Moves the bound socket to its place. */
  public void publish() {
    try {
      Files.setPosixFilePermissions(bound(), PosixFilePermissions.fromString("rw-------"));
      identity = key(bound());
      Files.move(bound(), file, StandardCopyOption.ATOMIC_MOVE);
      Files.delete(folder);
    } catch (IOException refused) {
      throw unusable(file, refused);
    }
  }

  public UserError failure(Throwable cause) {
    return failure(file, Transport.bindProblem(cause) + "; choose another path");
  }

  /** Removes the file, unless another server has replaced it. */
  @Override
  public void close() {
    try {
      if (identity != null && Files.exists(file) && identity.equals(key(file))) {
        Files.delete(file);
      }
      Files.deleteIfExists(bound());
      Files.deleteIfExists(folder);
    } catch (IOException gone) {
      // The next server replaces it.
    }
  }

  private static void refuseOthersFile(Path file) throws IOException {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    BasicFileAttributes attributes =
        Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!attributes.isOther()) {
      throw failure(file, "a file that is not a socket exists there; remove it, or choose another");
    }
    if (isListening(file)) {
      throw failure(file, "another server listens there; stop it, or choose another path");
    }
  }

  /** Returns whether a server listens on a path. */
  public static boolean isInUse(Path file) {
    try {
      return Files.exists(file) && isListening(file);
    } catch (IOException refused) {
      return false;
    }
  }

  private static boolean isListening(Path file) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.configureBlocking(false);
      var _ = channel.connect(UnixDomainSocketAddress.of(file));
      return true;
    } catch (ConnectException dead) {
      return false;
    }
  }

  private static Object key(Path file) throws IOException {
    return Objects.requireNonNull(
        Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey());
  }

  private static int bytes(Path path) {
    return path.toString().getBytes(StandardCharsets.UTF_8).length;
  }

  private static UserError unusable(Path file, IOException refused) {
    String why =
        refused instanceof NoSuchFileException
            ? "its folder does not exist"
            : "%s: %s".formatted(refused.getClass().getSimpleName(), refused.getMessage());
    return failure(file, why + "; create the folder for the user of Ebb, or choose another path");
  }

  private static UserError failure(Path file, String what) {
    return new UserError(
        "cannot listen on ebb.server.unix-socket = '%s': %s".formatted(file, what));
  }
}
