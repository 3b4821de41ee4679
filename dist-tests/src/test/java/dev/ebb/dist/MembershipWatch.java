package dev.ebb.dist;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Watches whether some nodes always see each other. */
final class MembershipWatch {

  private static final long PERIOD_MILLIS = 200;

  private final List<EbbProcess> nodes;
  private final Queue<String> splits = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile boolean closed;

  MembershipWatch(List<EbbProcess> nodes) {
    this.nodes = nodes;
    thread = Thread.ofPlatform().name("membership-watch").start(this::run);
  }

  private void run() {
    while (!closed) {
      for (EbbProcess node : nodes) {
        int seen = ClusterProcesses.members(node);
        // None, if it did not answer in time.
        if (seen > 0 && seen < nodes.size()) {
          splits.add("%s saw %d of the %d running nodes".formatted(node, seen, nodes.size()));
        }
      }
      ClusterProcesses.sleep(PERIOD_MILLIS);
    }
  }

  /** Ends it; returns when a node did not see all others. */
  List<String> end() throws InterruptedException {
    closed = true;
    thread.join();
    return List.copyOf(splits);
  }
}
