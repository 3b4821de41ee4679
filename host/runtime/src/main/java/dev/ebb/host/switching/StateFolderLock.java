package dev.ebb.host.switching;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock on the folder of {@link PolicyStates}: two servers would overwrite each other's files. The
 * lock file has the process id of its owner.
 */
public final class StateFolderLock implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StateFolderLock.class);
  private static final String FILE = ".lock";
  private static final Pattern PID = Pattern.compile("\\d{1,20}");

  /** Behind the process id, so that other processes can read that on every system. */
  private static final long POSITION = 1L << 32;

  /**
   * The folders of this process. On POSIX systems a process loses its lock when it closes the file,
   * even if it has opened it again, so a locked file is never opened again.
   */
  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  private final Path folder;
  private final @Nullable FileChannel channel;

  private StateFolderLock(Path folder, @Nullable FileChannel channel) {
    this.folder = folder;
    this.channel = channel;
  }

  /**
   * Locks a folder until this is closed, or the process ends. Where files cannot be locked, this
   * logs a warning.
   *
   * @throws UserError if another server has locked it
   */
  public static StateFolderLock of(Path folder) {
    Path key = real(folder);
    if (!OWN.add(key)) {
      throw inUse(folder, String.valueOf(ProcessHandle.current().pid()));
    }
    try {
      return new StateFolderLock(key, lock(folder));
    } catch (UserError refused) {
      OWN.remove(key);
      throw refused;
    }
  }

  private static Path real(Path folder) {
    try {
      return folder.toRealPath();
    } catch (IOException unreadable) {
      return folder.toAbsolutePath().normalize();
    }
  }

  /** Returns the channel whose lock lives as long as it does; null if files cannot be locked. */
  private static @Nullable FileChannel lock(Path folder) {
    Path file = folder.resolve(FILE);
    FileChannel channel = null;
    try {
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      if (!isLocked(channel)) {
        channel.close();
        throw inUse(folder, owner(file));
      }
      channel.truncate(0);
      String pid = String.valueOf(ProcessHandle.current().pid());
      channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
    } catch (IOException unlockable) {
      LOG.warn("state folder not locked folder={} reason=\"{}\"", folder, unlockable.toString());
    }
    return channel;
  }

  @SuppressWarnings("MustBeClosedChecker")
  private static boolean isLocked(FileChannel channel) throws IOException {
    return channel.tryLock(POSITION, 1, false) != null;
  }

  private static UserError inUse(Path folder, String owner) {
    return new UserError(
        "ebb.state.folder = '%s' is in use by another server%s, and each server needs a folder of its own; stop that server, or set ebb.state.folder to another folder"
            .formatted(folder, owner.isEmpty() ? "" : " (process '" + owner + "')"));
  }

  /** Returns the process id in a lock file; empty if it is unknown. */
  private static String owner(Path file) {
    try {
      String pid = Files.readString(file, StandardCharsets.US_ASCII);
      return PID.matcher(pid).matches() ? pid : "";
    } catch (IOException unknown) {
      return "";
    }
  }

  @Override
  public void close() {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // The lock ends with the process at the latest.
    }
    OWN.remove(folder);
  }
}
