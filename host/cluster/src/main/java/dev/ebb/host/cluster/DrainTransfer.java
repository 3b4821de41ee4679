package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.DirectoryAnswers;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.transfer.TransferException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves values of a draining node to main stores of other nodes: those that are larger than the
 * memory for replicas of every other node, and what remains when that memory is full.
 */
final class DrainTransfer {

  private static final Logger LOG = LoggerFactory.getLogger(DrainTransfer.class);
  private static final int BATCH = 256;

  /** A share of the memory for replicas counts as full: copies are on their way. */
  private static final int FULL = 16;

  private final ClusterNode cluster;
  private final AtomicBoolean moving = new AtomicBoolean();

  /** What was moved to each node since it has said how much memory it uses. */
  private final Map<Integer, Moved> moved = new HashMap<>();

  private int lastTarget;
  private int remaining;

  private record Moved(long usedBefore, long bytes) {}

  DrainTransfer(ClusterNode cluster) {
    this.cluster = cluster;
  }

  /** Moves the values that a main store has room for, on a thread of its own. */
  void check() {
    if (moving.compareAndSet(false, true)) {
      cluster.threads.start("drain-transfer", this::run);
    }
  }

  boolean isMoving() {
    return moving.get();
  }

  private void run() throws InterruptedException {
    try {
      moveAll();
    } catch (CompletionException silent) {
      LOG.debug("values not moved: the directory does not answer", silent);
    } finally {
      moving.set(false);
    }
  }

  private void moveAll() throws InterruptedException {
    List<Node> others = others();
    if (others.isEmpty()) {
      return;
    }
    Limits limits = new Limits(others, cluster.replication.pendingCopies() == 0);
    List<byte[]> keys = new ArrayList<>();
    int staying = 0;
    // Main stores without room for all get those that are worth most.
    for (ObjectStore store : List.of(cluster.stores.main(), cluster.stores.replicas())) {
      for (byte[] key : store.mainKeysByUse()) {
        long bytes = store.length(key);
        if (limits.isLarge(bytes) && target(bytes).isEmpty()) {
          staying++;
        } else if (limits.needsMainStore(bytes)) {
          keys.add(key);
        }
      }
    }
    for (int from = 0; from < keys.size(); from += BATCH) {
      move(keys.subList(from, Math.min(keys.size(), from + BATCH)));
    }
    if (staying > remaining) {
      LOG.warn("values stay on this draining node: no other has room for them, values={}", staying);
    }
    remaining = staying;
  }

  /**
   * The sizes of values that other nodes can take.
   *
   * @param largestReplica what fits into an empty memory for replicas
   * @param freeReplica what fits into it now; nothing is larger while copies are on their way
   * @param main what fits into a main store now
   */
  private record Limits(long largestReplica, long freeReplica, long main) {

    Limits(List<Node> nodes, boolean idle) {
      this(
          most(nodes, Node::replicaCapacityBytes),
          idle ? most(nodes, Limits::freeReplica) : Long.MAX_VALUE,
          most(nodes, node -> limit(node, EvictionOffload.TAKING_SHARE) - node.usedBytes()));
    }

    private static long most(List<Node> nodes, ToLongFunction<Node> bytes) {
      return nodes.stream().mapToLong(bytes).max().orElse(0);
    }

    private static long freeReplica(Node node) {
      long capacity = node.replicaCapacityBytes();
      return capacity - node.replicaUsedBytes() - capacity / FULL;
    }

    boolean isLarge(long bytes) {
      return bytes > largestReplica;
    }

    boolean needsMainStore(long bytes) {
      return isLarge(bytes) || (bytes > freeReplica && bytes <= main);
    }
  }

  private void move(List<byte[]> keys) throws InterruptedException {
    Map<ValueId, DirectoryEntry> entries =
        DirectoryAnswers.await(cluster.directory.get(keys.stream().map(ValueId::of).toList()));
    for (byte[] key : keys) {
      DirectoryEntry entry = entries.get(ValueId.of(key));
      if (entry != null && !isElsewhere(entry) && !cluster.members.isActive()) {
        Optional<Node> target = target(entry.bytes());
        if (target.isPresent()) {
          move(key, entry.bytes(), target.get());
        }
      }
    }
  }

  private void move(byte[] key, long bytes, Node target) throws InterruptedException {
    try {
      if (cluster.peers.move(target, List.of(key)).get() >= 0) {
        moved.put(target.id(), new Moved(target.usedBytes(), movedTo(target) + bytes));
        lastTarget = target.id();
        LOG.debug("value moved to={} bytes={}", target.name(), bytes);
      }
    } catch (TransferException broken) {
      LOG.warn("value not moved to={} reason=\"{}\"", target.name(), broken.getMessage());
    }
  }

  private List<Node> others() {
    return cluster.members.others().stream()
        .filter(node -> node.state() == NodeState.ACTIVE)
        .toList();
  }

  /** Returns whether the value has no copy that stays. */
  private boolean isElsewhere(DirectoryEntry entry) {
    return entry.deleted()
        || entry.holders().stream()
            .anyMatch(holder -> cluster.members.topology().active(holder.node()));
  }

  /** Returns the node of the last value if that has room, so that chunks stay together. */
  private Optional<Node> target(long bytes) {
    List<Node> others = others();
    boolean large = others.stream().allMatch(node -> bytes > node.replicaCapacityBytes());
    double share = large ? 1 : EvictionOffload.TAKING_SHARE;
    return others.stream()
        .filter(node -> free(node, share) >= bytes)
        .max(
            Comparator.comparing((Node node) -> node.id() == lastTarget)
                .thenComparingLong(node -> free(node, share)));
  }

  private long free(Node node, double share) {
    return limit(node, share) - node.usedBytes() - movedTo(node);
  }

  private static long limit(Node node, double share) {
    return (long) (node.capacityBytes() * share);
  }

  private long movedTo(Node node) {
    Moved known = moved.get(node.id());
    return known == null || known.usedBefore != node.usedBytes() ? 0 : known.bytes;
  }
}
