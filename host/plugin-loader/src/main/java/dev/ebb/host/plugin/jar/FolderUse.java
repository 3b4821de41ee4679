package dev.ebb.host.plugin.jar;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * This process's use of a folder, signalled to other processes by a lock that all users share. If
 * locks do not work, the folder counts as used by others.
 */
public final class FolderUse implements AutoCloseable {

  private static final String FILE = ".lock";

  private final @Nullable FileChannel channel;

  private FolderUse(@Nullable FileChannel channel) {
    this.channel = channel;
  }

  public static FolderUse of(Path folder) {
    try {
      return new FolderUse(
          FileChannel.open(
              folder.resolve(FILE),
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE));
    } catch (IOException unlockable) {
      return new FolderUse(null);
    }
  }

  boolean isOnlyOne() {
    try (FileLock lock = lock(false)) {
      return lock != null;
    } catch (IOException unknown) {
      return false;
    }
  }

  /** Signals the use to other processes until this is closed. */
  @SuppressWarnings("MustBeClosedChecker")
  public void begin() {
    // The lock lives as long as its channel.
    lock(true);
  }

  private @Nullable FileLock lock(boolean shared) {
    try {
      return channel == null ? null : channel.tryLock(0, Long.MAX_VALUE, shared);
    } catch (IOException | OverlappingFileLockException taken) {
      return null;
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
  }
}
