package dev.ebb.host.admin.pool;

import dev.ebb.host.device.DeviceException;
import dev.ebb.host.engine.sequence.SequenceMigration;
import dev.ebb.host.pool.MigrationReport;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the migrations that operators start, on its own thread, and keeps the latest ones. */
public final class OperatorMigrations implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(OperatorMigrations.class);
  private static final int REMEMBERED = 100;
  private static final int MOST_FAILURES = 3;
  private static final long TURN_BYTES = 64L << 20;

  private static final long PAUSE_MILLIS = 20;

  private final List<Started> started = new ArrayList<>();
  private final Thread thread;
  private volatile boolean closed;

  public OperatorMigrations() {
    thread = Thread.ofPlatform().name("ebb-migrations").daemon().start(this::run);
  }

  private static final class Started {
    private final SequenceMigration migration;
    private int failures;

    Started(SequenceMigration migration) {
      this.migration = migration;
    }

    boolean goesOn() {
      return migration.report().state() == MigrationReport.State.COPYING;
    }
  }

  synchronized void add(SequenceMigration migration) {
    if (started.size() >= REMEMBERED) {
      started.removeIf(oldest -> started.size() >= REMEMBERED && !oldest.goesOn());
    }
    started.add(new Started(migration));
    notifyAll();
  }

  synchronized List<SequenceMigration> all() {
    return started.stream().map(each -> each.migration).toList();
  }

  private synchronized List<Started> awaitWork() throws InterruptedException {
    while (true) {
      List<Started> going = started.stream().filter(Started::goesOn).toList();
      if (!going.isEmpty()) {
        return going;
      }
      wait();
    }
  }

  private void run() {
    while (!closed) {
      try {
        round();
      } catch (InterruptedException closedOrPlugin) {
        // Only close() stops the thread, because a plugin can interrupt any thread.
      }
    }
  }

  private void round() throws InterruptedException {
    boolean copied = false;
    for (Started each : awaitWork()) {
      copied |= turn(each);
    }
    if (!copied) {
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  /** Continues a migration and returns whether any block has arrived. */
  private boolean turn(Started each) {
    SequenceMigration migration = each.migration;
    int before = migration.report().blocksCopied();
    try {
      return migration.run(TURN_BYTES).blocksCopied() > before;
    } catch (DeviceException failed) {
      LOG.warn("a copy failed migration={} reason=\"{}\"", migration.id(), failed.getMessage());
      if (++each.failures == MOST_FAILURES) {
        migration.cancel(
            "copies failed '%d' times, at last: %s".formatted(MOST_FAILURES, failed.getMessage()));
      }
    } catch (RuntimeException failed) {
      LOG.error("migration={} failed", migration.id(), failed);
      migration.cancel("it failed inside; the log says why");
    }
    return false;
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
