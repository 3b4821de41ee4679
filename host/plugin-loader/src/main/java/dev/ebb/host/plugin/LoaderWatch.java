package dev.ebb.host.plugin;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches class loaders that were unloaded until the collector has collected them, and logs one
 * that stays. Only a full collection collects a loader, which may not come by itself for hours. So
 * one is requested when half of the time is over.
 */
final class LoaderWatch {

  private static final Logger LOG = LoggerFactory.getLogger(LoaderWatch.class);
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final long LOOK_MILLIS = 1_000;

  private final ReferenceQueue<ClassLoader> queue = new ReferenceQueue<>();
  private final Set<Watched> watched = new HashSet<>();
  private boolean running;

  /** A loader, held by a phantom reference. */
  private static final class Watched extends PhantomReference<ClassLoader> {
    private final UnloadReport unloading;
    private final long since = System.nanoTime();
    private boolean asked;

    Watched(ClassLoader loader, ReferenceQueue<ClassLoader> queue, UnloadReport unloading) {
      super(loader, queue);
      this.unloading = unloading;
    }

    Duration age() {
      return Duration.ofNanos(System.nanoTime() - since);
    }
  }

  synchronized void watch(ClassLoader loader, UnloadReport unloading) {
    watched.add(new Watched(loader, queue, unloading));
    if (!running) {
      running = true;
      start();
    }
  }

  /**
   * Starts the thread without a context class loader: a thread inherits that of its creator,
   * possibly a plugin's.
   */
  private void start() {
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .inheritInheritableThreadLocals(false)
            .name("ebb-plugin-loaders")
            .unstarted(this::run);
    thread.setContextClassLoader(LoaderWatch.class.getClassLoader());
    thread.start();
  }

  synchronized int uncollected() {
    return watched.size();
  }

  private void run() {
    boolean more = true;
    while (more) {
      Watched collected = next();
      more = collected == null ? look() : collected(collected);
    }
  }

  /**
   * Returns the next collected loader; null if none was in time. A plugin can interrupt any thread.
   */
  private @Nullable Watched next() {
    try {
      return (Watched) queue.remove(LOOK_MILLIS);
    } catch (InterruptedException byAPlugin) {
      return null;
    }
  }

  private synchronized boolean collected(Watched gone) {
    Duration age = gone.age();
    gone.unloading.becomes(UnloadReport.Outcome.COLLECTED, age);
    watched.remove(gone);
    LOG.info(
        "plugin unloaded id={} version={} sha256={} collected-after-millis={}",
        gone.unloading.plugin(),
        gone.unloading.version(),
        gone.unloading.sha256(),
        age.toMillis());
    running = !watched.isEmpty();
    return running;
  }

  private boolean look() {
    if (isCollectionDue()) {
      System.gc();
    }
    return lookAgain();
  }

  private synchronized boolean isCollectionDue() {
    boolean due = false;
    for (Watched each : watched) {
      if (!each.asked && each.age().compareTo(DEADLINE.dividedBy(2)) > 0) {
        each.asked = true;
        due = true;
      }
    }
    return due;
  }

  private synchronized boolean lookAgain() {
    for (Watched each : watched) {
      Duration age = each.age();
      if (each.unloading.outcome() == UnloadReport.Outcome.WAITING && age.compareTo(DEADLINE) > 0) {
        each.unloading.becomes(UnloadReport.Outcome.HELD, age);
        LOG.warn(
            "plugin still in memory id={} version={} sha256={} after-seconds={}",
            each.unloading.plugin(),
            each.unloading.version(),
            each.unloading.sha256(),
            age.toSeconds());
      }
    }
    running = !watched.isEmpty();
    return running;
  }
}
