package dev.ebb.host.disk;

import dev.ebb.host.errors.UserError;
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
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A file or block device, with direct I/O where the file system supports it. */
final class ChannelFile implements BlockFile {

  private static final Set<OpenOption> OPTIONS =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);

  private final FileChannel channel;
  private final boolean direct;

  private ChannelFile(FileChannel channel, boolean direct) {
    this.channel = channel;
    this.direct = direct;
  }

  /**
   * Opens or creates a file that only its owner can read, and locks it.
   *
   * @throws UserError if another process uses it
   */
  static ChannelFile open(Path path) throws IOException {
    Path folder = path.toAbsolutePath().getParent();
    if (folder != null && !Files.isDirectory(folder)) {
      // Perhaps its disk is not mounted, and another one would be filled.
      throw new UserError(
          "'%s' cannot be used: the folder '%s' does not exist; create it, or mount its disk"
              .formatted(path, folder));
    }
    if (Files.isDirectory(path)) {
      throw new UserError("'%s' is a folder; name a file in it".formatted(path));
    }
    ChannelFile file = channel(path);
    try {
      lock(path, file.channel);
      return file;
    } catch (IOException | RuntimeException refused) {
      file.close();
      throw refused;
    }
  }

  private static ChannelFile channel(Path path) throws IOException {
    FileAttribute<?>[] ownerOnly =
        path.getFileSystem().supportedFileAttributeViews().contains("posix")
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    FileChannel buffered = FileChannel.open(path, OPTIONS, ownerOnly);
    try {
      long block = Files.getFileStore(path).getBlockSize();
      if (block > 0 && DiskFormat.ALIGNMENT % block == 0) {
        FileChannel direct =
            FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, direct());
        buffered.close();
        return new ChannelFile(direct, true);
      }
    } catch (IOException | UnsupportedOperationException unsupported) {
      // As on tmpfs of older kernels: the page cache is used.
    }
    return new ChannelFile(buffered, false);
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
      // This process has opened it before.
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
  }

  @Override
  public long size() throws IOException {
    return channel.size();
  }

  @Override
  public void extend(long bytes) throws IOException {
    if (channel.size() < bytes) {
      try (AlignedBuffer last = new AlignedBuffer(DiskFormat.ALIGNMENT)) {
        write(last.slice(0, DiskFormat.ALIGNMENT), bytes - DiskFormat.ALIGNMENT);
      }
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
