package dev.ebb.host.switching;

import dev.ebb.host.errors.LogThrottle;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the plugin folder and the configuration file, by file system events and by periodic
 * scans. Events may arrive too early, and some file systems send none. A file that differs between
 * two scans is still being written and is left for the next scan.
 */
public final class FolderWatch implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(FolderWatch.class);
  private static final Duration SETTLING = Duration.ofMillis(250);

  /** Other files of a watched folder may change all the time. */
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

  private final Path folder;
  private final @Nullable Path file;
  private final Duration rescan;
  private final Actions actions;
  private final @Nullable WatchService service;
  private final Thread thread;
  private final LogThrottle failures = new LogThrottle();
  private FileStamps applied;
  private volatile boolean closed;

  /**
   * The actions of the watch.
   *
   * @param jars runs when JARs have changed, with the files that are still being written
   * @param overdue returns whether the folder must be scanned although nothing has changed
   */
  public record Actions(Consumer<Set<Path>> jars, Runnable file, BooleanSupplier overdue) {}

  private FolderWatch(Path folder, @Nullable Path file, Duration rescan, Actions actions) {
    this.folder = folder;
    this.file = file;
    this.rescan = rescan;
    this.actions = actions;
    applied = FileStamps.of(folder, file);
    service = service(folder, file);
    thread = Thread.ofPlatform().daemon().name("ebb-folder-watch").unstarted(this::run);
  }

  /**
   * Starts the watch. Existing files count as known.
   *
   * @param file the configuration file; null if there is none
   * @param actions the actions, called on the watch's thread
   */
  public static FolderWatch start(
      Path folder, @Nullable Path file, Duration rescan, Actions actions) {
    FolderWatch watch = new FolderWatch(folder, file, rescan, actions);
    watch.thread.start();
    return watch;
  }

  private static @Nullable WatchService service(Path folder, @Nullable Path file) {
    try {
      WatchService made = folder.getFileSystem().newWatchService();
      register(folder, made);
      Path beside = file == null ? null : file.toAbsolutePath().getParent();
      if (beside != null) {
        register(beside, made);
      }
      return made;
    } catch (IOException | UnsupportedOperationException none) {
      LOG.info("cannot watch folder; polling instead folder={} reason={}", folder, none.toString());
      return null;
    }
  }

  private static void register(Path folder, WatchService with) throws IOException {
    folder.register(
        with,
        StandardWatchEventKinds.ENTRY_CREATE,
        StandardWatchEventKinds.ENTRY_MODIFY,
        StandardWatchEventKinds.ENTRY_DELETE);
  }

  private void run() {
    Duration wait = rescan;
    boolean failing = false;
    while (!closed) {
      try {
        if (failing) {
          // Events could come all the time: the log file may be in a watched folder.
          failing = false;
          Thread.sleep(rescan.toMillis());
        } else {
          await(wait);
        }
        wait = closed || look() ? rescan : SETTLING;
      } catch (InterruptedException byAPlugin) {
        // Only close() stops the watch, because a plugin can interrupt any thread.
        wait = SETTLING;
      } catch (Throwable failed) {
        // Unreadable files are scanned again later.
        if (!closed) {
          failures.log(omitted ->
              LOG.error(
                  "folder not taken over folder={} reason=\"{}\" omitted={}",
                  folder,
                  reason(failed),
                  omitted));
        }
        failing = true;
        wait = rescan;
      }
    }
  }

  private static String reason(Throwable failed) {
    return failed instanceof UserError mistakes
        ? String.join("; ", mistakes.messages())
        : UntrustedText.of(failed);
  }

  private void await(Duration time) throws InterruptedException {
    if (service == null) {
      Thread.sleep(time.toMillis());
      return;
    }
    WatchKey key = service.poll(time.toMillis(), TimeUnit.MILLISECONDS);
    if (key != null) {
      Thread.sleep(BETWEEN_LOOKS.toMillis());
      key.pollEvents();
      key.reset();
    }
  }

  private boolean look() throws InterruptedException {
    FileStamps first = FileStamps.of(folder, file);
    if (first.equals(applied)) {
      if (actions.overdue().getAsBoolean()) {
        actions.jars().accept(Set.of());
      }
      return true;
    }
    Thread.sleep(SETTLING.toMillis());
    FileStamps second = FileStamps.of(folder, file);
    Set<Path> unsettled = first.differences(second);
    Set<Path> changed = applied.differences(second);
    // The files count as known even if loading fails; a failed file is retried when it changes.
    applied = second.without(unsettled);
    boolean fileChanged = file != null && changed.remove(file);
    if (fileChanged && !unsettled.contains(file)) {
      actions.file().run();
    }
    if (!changed.isEmpty()) {
      actions.jars().accept(unsettled);
    }
    return unsettled.isEmpty();
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      if (service != null) {
        service.close();
      }
      thread.join(TimeUnit.SECONDS.toMillis(10));
    } catch (IOException leftOpen) {
      LOG.debug("watch left open reason={}", leftOpen.toString());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
