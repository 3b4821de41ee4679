package dev.ebb.host.cluster;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of this node that use its copies. None of them does so after {@link #close}. */
final class NodeThreads implements Executor, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(NodeThreads.class);
  private static final Duration CLOSE_TIME = Duration.ofSeconds(5);

  private final Set<Thread> running = new HashSet<>();
  private boolean closed;

  @FunctionalInterface
  interface Work {
    void run() throws InterruptedException;
  }

  Thread start(String name, Work work) {
    Thread thread = Thread.ofVirtual().name("ebb-" + name).unstarted(() -> run(work));
    synchronized (this) {
      running.add(thread);
      thread.start();
      if (closed) {
        thread.interrupt();
      }
    }
    return thread;
  }

  private void run(Work work) {
    try {
      work.run();
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    } finally {
      synchronized (this) {
        running.remove(Thread.currentThread());
      }
    }
  }

  @Override
  public void execute(Runnable work) {
    start("cluster-work", work::run);
  }

  /** Interrupts all threads, and waits up to five seconds for each of them. */
  @Override
  public void close() {
    List<Thread> ending;
    synchronized (this) {
      closed = true;
      ending = List.copyOf(running);
    }
    ending.forEach(Thread::interrupt);
    try {
      for (Thread thread : ending) {
        if (!thread.join(CLOSE_TIME)) {
          LOG.warn("a thread of the cluster has not ended thread={}", thread.getName());
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
