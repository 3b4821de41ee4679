package dev.ebb.host.runtime;

import dev.ebb.host.switching.PolicySwitcher;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Saves what the active policy has learned, regularly and at the end. */
final class StateSaver implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StateSaver.class);

  /** How long the end of the process waits for the last save. */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final PolicySwitcher switcher;
  private final Duration interval;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread;

  private StateSaver(PolicySwitcher switcher, Duration interval) {
    this.switcher = switcher;
    this.interval = interval;
    thread = Thread.ofPlatform().daemon().name("ebb-policy-state").unstarted(this::run);
  }

  static StateSaver start(PolicySwitcher switcher, Duration interval) {
    StateSaver saver = new StateSaver(switcher, interval);
    saver.thread.start();
    return saver;
  }

  private void run() {
    boolean last;
    do {
      last = isStopping();
      try {
        switcher.saveStates();
      } catch (RuntimeException failed) {
        LOG.error("states not saved", failed);
      }
    } while (!last);
  }

  /** Waits for the next round. An interrupt does not stop it, because a plugin can interrupt it. */
  private boolean isStopping() {
    try {
      return stopping.await(interval.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException byAPlugin) {
      return stopping.getCount() == 0;
    }
  }

  @Override
  public void close() {
    stopping.countDown();
    try {
      if (!thread.join(LIMIT)) {
        LOG.warn("saving policy state timed out timeout={}", LIMIT);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
