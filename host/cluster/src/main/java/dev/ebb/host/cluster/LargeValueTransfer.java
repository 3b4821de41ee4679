package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.transfer.TransferException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The values of a draining node that are larger than the memory for replicas of every other node.
 * They move to the main store with the most free memory.
 */
final class LargeValueTransfer {

  private static final Logger LOG = LoggerFactory.getLogger(LargeValueTransfer.class);

  private final ClusterNode cluster;
  private final AtomicBoolean moving = new AtomicBoolean();
  private int remaining;

  LargeValueTransfer(ClusterNode cluster) {
    this.cluster = cluster;
  }

  /** Moves the values that a main store has room for, on a thread of its own. */
  void check() {
    if (moving.compareAndSet(false, true)) {
      cluster.threads.start("large-values", this::run);
    }
  }

  boolean isMoving() {
    return moving.get();
  }

  private void run() throws InterruptedException {
    try {
      moveAll();
    } finally {
      moving.set(false);
    }
  }

  private void moveAll() throws InterruptedException {
    long largestReplica =
        others().stream().mapToLong(Node::replicaCapacityBytes).max().orElse(Long.MAX_VALUE);
    List<byte[]> large = new ArrayList<>();
    cluster
        .stores
        .main()
        .eachMainKey(key -> {
          if (bytes(key) > largestReplica) {
            large.add(key);
          }
        });
    int staying = 0;
    for (byte[] key : large) {
      Optional<Node> target = roomiest(bytes(key));
      if (target.isEmpty()) {
        staying++;
      } else {
        move(key, target.get());
      }
    }
    if (staying > remaining) {
      LOG.warn("values stay on this draining node: no other has room for them, values={}", staying);
    }
    remaining = staying;
  }

  private void move(byte[] key, Node target) throws InterruptedException {
    try {
      long moved = cluster.peers.move(target, List.of(key)).get();
      LOG.debug("large value moved to={} bytes={}", target.name(), moved);
    } catch (TransferException broken) {
      LOG.warn("value not moved to={} reason=\"{}\"", target.name(), broken.getMessage());
    }
  }

  private long bytes(byte[] key) {
    try (LocalStores.Copy copy = cluster.stores.open(key)) {
      return copy == null ? 0 : copy.reader().length();
    }
  }

  private List<Node> others() {
    return cluster.members.others().stream()
        .filter(node -> node.state() == NodeState.ACTIVE)
        .toList();
  }

  private Optional<Node> roomiest(long bytes) {
    return others().stream()
        .max(Comparator.comparingLong(LargeValueTransfer::free))
        .filter(node -> free(node) >= bytes);
  }

  private static long free(Node node) {
    return node.capacityBytes() - node.usedBytes();
  }
}
