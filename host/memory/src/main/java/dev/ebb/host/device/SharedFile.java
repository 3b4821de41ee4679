package dev.ebb.host.device;

import dev.ebb.host.units.ByteSize;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file whose mapped memory other processes of the same user can map too. It is removed when it is
 * closed. Its process holds a lock on it, so that the files of dead processes are recognized and
 * removed when the next one is created in the same folder.
 */
final class SharedFile implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(SharedFile.class);

  private static final String PREFIX = "ebb-";
  private static final String SUFFIX = ".pool";

  /** Slabs begin at a page of any size that is in use. */
  private static final long ALIGNMENT = 2L << 20;

  private static final int ZEROS = 1 << 20;

  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "hugetlbfs");

  /** The files of this process. Closing another channel to one of them would release its lock. */
  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  private final Path folder;
  private final Path file;
  private final FileChannel channel;
  private long end;

  private SharedFile(Path folder, Path file, FileChannel channel) {
    this.folder = folder;
    this.file = file;
    this.channel = channel;
  }

  /**
   * Creates an empty file, and removes those of dead processes.
   *
   * @throws DeviceException if the folder cannot be used
   */
  static SharedFile in(Path folder) {
    try {
      removeStale(folder);
      String type = Files.getFileStore(folder).type();
      if (!IN_MEMORY.contains(type)) {
        LOG.warn(
            "shared memory is in a file on disk folder={} type={}; choose a folder of type tmpfs,"
                + " such as /dev/shm",
            folder,
            type);
      }
      while (true) {
        Path file = folder.toRealPath().resolve(PREFIX + UUID.randomUUID() + SUFFIX);
        OWN.add(file);
        FileChannel channel =
            FileChannel.open(
                file,
                Set.of(
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        channel.lock();
        if (Files.exists(file)) {
          return new SharedFile(folder, file, channel);
        }
        // Another process took it for a stale one before it was locked.
        channel.close();
        OWN.remove(file);
      }
    } catch (IOException refused) {
      throw failure(
          folder,
          "%s: %s; create the folder for the user of Ebb, or choose another"
              .formatted(refused.getClass().getSimpleName(), refused.getMessage()));
    }
  }

  /**
   * Returns a new range of the file, whose pages are allocated: otherwise a client that writes to
   * it would be killed if the file system becomes full.
   *
   * @param placement places the pages before they are allocated
   */
  FileRange extend(long bytes, Consumer<MemorySegment> placement) {
    FileRange range = new FileRange(file, Math.ceilDiv(end, ALIGNMENT) * ALIGNMENT);
    try {
      long free = Files.getFileStore(file).getUsableSpace();
      if (bytes > free) {
        throw full(bytes, free, "");
      }
      try (Arena arena = Arena.ofConfined()) {
        // The policy of a mapping in tmpfs is kept with the file, and applies to later writes.
        placement.accept(map(range, bytes, arena));
        allocate(range.offset(), bytes);
      } catch (IOException refused) {
        channel.truncate(end);
        throw full(bytes, free, " (%s)".formatted(refused.getMessage()));
      }
    } catch (IOException refused) {
      throw failure(folder, "%s; choose another folder".formatted(refused.getMessage()));
    }
    end = range.offset() + bytes;
    return range;
  }

  private DeviceException full(long bytes, long free, String reason) {
    return failure(
        folder,
        "%s do not fit, %s are free%s; lower ebb.pool.size, or raise the size of the file system"
            .formatted(ByteSize.format(bytes), ByteSize.format(free), reason));
  }

  /** Writes zeros, the only way that allocates pages on every operating system. */
  private void allocate(long start, long bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);
    for (long done = 0; done < bytes; ) {
      zeros.clear().limit((int) Math.min(ZEROS, bytes - done));
      done += channel.write(zeros, start + done);
    }
  }

  /** Maps a range of the file. */
  MemorySegment map(FileRange range, long bytes, Arena arena) {
    try {
      return channel.map(FileChannel.MapMode.READ_WRITE, range.offset(), bytes, arena);
    } catch (IOException refused) {
      throw failure(folder, "cannot be mapped: " + refused.getMessage());
    }
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(file);
      channel.close();
    } catch (IOException refused) {
      LOG.warn("shared memory not removed file={} reason=\"{}\"", file, refused.getMessage());
    }
    OWN.remove(file);
  }

  private static void removeStale(Path folder) throws IOException {
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(folder.toRealPath(), PREFIX + "*" + SUFFIX)) {
      for (Path each : files) {
        if (!OWN.contains(each)) {
          removeIfStale(each);
        }
      }
    }
  }

  private static void removeIfStale(Path stale) {
    try (FileChannel channel = FileChannel.open(stale, StandardOpenOption.WRITE)) {
      if (channel.tryLock() != null) {
        Files.deleteIfExists(stale);
        LOG.info("shared memory of a dead process removed file={}", stale);
      }
    } catch (IOException notOurs) {
      LOG.debug("shared memory left file={}", stale, notOurs);
    }
  }

  private static DeviceException failure(Path folder, String what) {
    return new DeviceException("ebb.server.shared-memory = '%s': %s".formatted(folder, what));
  }
}
