package dev.ebb.host.disk.format;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.ByteSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A file or block device, with direct I/O where the file system supports it. */
public final class ChannelFile implements BlockFile {

  private static final Set<OpenOption> EXISTING =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
  private static final Set<OpenOption> CREATING =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);

  private final Path path;
  private final FileChannel channel;
  private final boolean direct;
  private final @Nullable Object fileKey;
  private volatile long leastBytes;

  private ChannelFile(Path path, FileChannel channel, boolean direct) throws IOException {
    this.path = path;
    this.channel = channel;
    this.direct = direct;
    try {
      fileKey = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (IOException gone) {
      channel.close();
      throw gone;
    }
  }

  /** Opens or creates a file that only its owner can read, and locks it; fails if it is in use. */
  public static ChannelFile open(Path path) throws IOException {
    checkPlace(path);
    return locked(path, CREATING);
  }

  private static Path checkPlace(Path path) {
    Path folder = path.toAbsolutePath().getParent();
    if (folder != null && !Files.isDirectory(folder)) {
      // Perhaps its disk is not mounted, and another one would be filled.
      throw new UserError(
          "'%s' cannot be used: the folder '%s' does not exist; create it, or mount its disk"
              .formatted(path, folder));
    }
    if (folder == null || Files.isDirectory(path)) {
      throw new UserError("'%s' is a folder; name a file in it".formatted(path));
    }
    return folder;
  }

  /**
   * Fails if a file of a size cannot be made or written; creates nothing.
   *
   * @return the path that all its names lead to
   */
  public static Path check(Path path, long bytes) throws IOException {
    Path folder = checkPlace(path);
    boolean exists = Files.exists(path);
    if (!Files.isWritable(exists ? path : folder)) {
      throw new UserError(
          "'%s' cannot be written; check the rights, or set another path".formatted(path));
    }
    if (!exists) {
      checkRoom(path, Files.getFileStore(folder).getTotalSpace(), bytes);
      return folder.toRealPath().resolve(path.getFileName());
    }
    try (ChannelFile file = reading(path)) {
      if (file.size() < bytes) {
        file.checkRoom(bytes);
      }
    }
    return path.toRealPath();
  }

  /** Opens a file that exists only to be read, while a server may use it. */
  public static ChannelFile reading(Path path) throws IOException {
    return new ChannelFile(path, FileChannel.open(path, StandardOpenOption.READ), false);
  }

  /** Opens a file that exists again, and locks it. */
  public static ChannelFile reopen(Path path) throws IOException {
    return locked(path, EXISTING);
  }

  private static ChannelFile locked(Path path, Set<OpenOption> options) throws IOException {
    ChannelFile file = channel(path, options);
    try {
      lock(path, file.channel);
      return file;
    } catch (IOException | RuntimeException refused) {
      file.close();
      throw refused;
    }
  }

  private static ChannelFile channel(Path path, Set<OpenOption> options) throws IOException {
    FileAttribute<?>[] ownerOnly =
        path.getFileSystem().supportedFileAttributeViews().contains("posix")
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    FileChannel buffered = FileChannel.open(path, options, ownerOnly);
    try {
      long block = Files.getFileStore(path).getBlockSize();
      if (block > 0 && DiskFormat.ALIGNMENT % block == 0) {
        FileChannel direct =
            FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, direct());
        buffered.close();
        return new ChannelFile(path, direct, true);
      }
    } catch (IOException | UnsupportedOperationException unsupported) {
      // As on tmpfs of older kernels: the page cache is used.
    }
    return new ChannelFile(path, buffered, false);
  }

  /** Returns {@code com.sun.nio.file.ExtendedOpenOption.DIRECT}, which not every JDK has. */
  private static OpenOption direct() {
    try {
      for (Object option :
          Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
        if (option.toString().equals("DIRECT")) {
          return (OpenOption) option;
        }
      }
    } catch (ClassNotFoundException absent) {
      // Reported below.
    }
    throw new UnsupportedOperationException("DIRECT");
  }

  private static void lock(Path path, FileChannel channel) throws IOException {
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException mine) {
      throw new UserError(
          "'%s' is open in this process already, perhaps by another name of the same file; name each file once"
              .formatted(path));
    }
    if (lock == null) {
      throw new UserError(
          "'%s' is in use by a server; stop that server, or name another file".formatted(path));
    }
  }

  @Override
  public void read(ByteBuffer target, long position) throws IOException {
    long at = position;
    while (target.hasRemaining()) {
      int count = channel.read(target, at);
      if (count <= 0 || (direct && (at + count) % DiskFormat.ALIGNMENT != 0)) {
        // The end of the file.
        while (target.hasRemaining()) {
          target.put((byte) 0);
        }
        return;
      }
      at += count;
    }
  }

  @Override
  public void write(ByteBuffer source, long position) throws IOException {
    long at = position;
    while (source.hasRemaining()) {
      at += channel.write(source, at);
    }
  }

  @Override
  public void force() throws IOException {
    channel.force(false);
    checkExists();
  }

  /** A file that was removed could be written on, and would be gone at the next start. */
  private void checkExists() throws IOException {
    if (!Objects.equals(fileKey, Files.readAttributes(path, BasicFileAttributes.class).fileKey())) {
      throw new IOException("'%s' was replaced by another file".formatted(path));
    }
    if (channel.size() < leastBytes) {
      throw new IOException("a part of '%s' was cut off".formatted(path));
    }
  }

  @Override
  public long size() throws IOException {
    leastBytes = channel.size();
    return leastBytes;
  }

  @Override
  public void extend(long bytes) throws IOException {
    checkRoom(bytes);
    if (channel.size() < bytes) {
      try (AlignedBuffer last = new AlignedBuffer(DiskFormat.ALIGNMENT)) {
        write(last.slice(0, DiskFormat.ALIGNMENT), bytes - DiskFormat.ALIGNMENT);
      }
    }
    leastBytes = bytes;
  }

  /** A file has no blocks until they are written, so a small disk would be noticed late. */
  private void checkRoom(long bytes) throws IOException {
    boolean device = Files.readAttributes(path, BasicFileAttributes.class).isOther();
    checkRoom(path, device ? channel.size() : Files.getFileStore(path).getTotalSpace(), bytes);
  }

  private static void checkRoom(Path path, long most, long bytes) {
    if (most > 0 && most < bytes) {
      throw new UserError(
          "ebb.tiers.disk.size asks for '%s', and the disk of '%s' has %s; set it to less, or use a larger disk"
              .formatted(ByteSize.format(bytes), path, ByteSize.format(most)));
    }
  }

  @Override
  public boolean isDirect() {
    return direct;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
