package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.ChunkObjects;
import dev.ebb.host.cluster.directory.DirectoryAnswers;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.message.Message.Item;
import dev.ebb.host.cluster.message.MessageType;
import dev.ebb.host.transfer.FetchResult;
import dev.ebb.host.transfer.TransferException;
import java.nio.LongBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Moves of values to other nodes that operators started here. The target fetches the values. */
final class NodeMigrations {

  private static final Logger LOG = LoggerFactory.getLogger(NodeMigrations.class);
  private static final int REMEMBERED = 100;

  /** Values that one message moves: its answer is the progress. */
  private static final int BATCH = 16;

  static final long ABSENT = -1;

  /** This node has no room for the value. */
  static final long REFUSED = -2;

  private final ClusterNode cluster;
  private final ChunkObjects objects;
  private final Deque<Running> all = new ArrayDeque<>();
  private long ids;

  NodeMigrations(ClusterNode cluster) {
    this.cluster = cluster;
    objects = new ChunkObjects(cluster.directory, cluster.stores.main());
  }

  NodeMigration start(List<byte[]> keys, Node target) {
    Running running;
    synchronized (this) {
      running = new Running(++ids, target, keys);
      all.addFirst(running);
      if (all.size() > REMEMBERED) {
        all.removeLast();
      }
    }
    cluster.threads.start("migration-" + running.id, running::run);
    return running.state();
  }

  /** Returns the value's size in bytes, {@link #ABSENT} or {@link #REFUSED}. */
  long adopt(byte[] key) throws InterruptedException {
    ValueId id = ValueId.of(key);
    DirectoryEntry entry = DirectoryAnswers.await(cluster.directory.get(List.of(id))).get(id);
    if (entry == null || entry.deleted()) {
      return ABSENT;
    }
    Holder own = entry.of(cluster.members.self().id());
    boolean primary = own != null && !own.replica();
    if (!primary) {
      FetchResult.Status status = fetch(key, cluster.members.nearest(id, entry));
      if (status != FetchResult.Status.COMPLETE) {
        return status == FetchResult.Status.REFUSED ? REFUSED : ABSENT;
      }
    }
    // The directory has to know the new copy before the old one is removed.
    cluster.reconciler.checkNow(key);
    if (!cluster.stores.holds(key, entry.version())) {
      // Evicted meanwhile: the other copies may be the last ones.
      return REFUSED;
    }
    for (Holder holder : entry.holders()) {
      if (!holder.replica() && holder.node() != cluster.members.self().id()) {
        cluster.peers.send(holder.node(), MessageType.DROP, new Item(key, entry.version()));
      }
    }
    return entry.bytes();
  }

  private FetchResult.Status fetch(byte[] key, List<Node> holders) throws InterruptedException {
    FetchResult.Status status = FetchResult.Status.ABSENT;
    for (Node holder : holders) {
      try {
        status = cluster.fetcher.fetch(holder, key, true, cluster.stores.main()).status();
        if (status == FetchResult.Status.COMPLETE || status == FetchResult.Status.REFUSED) {
          return status;
        }
      } catch (TransferException broken) {
        LOG.warn("value not moved from={} reason=\"{}\"", holder.name(), broken.getMessage());
      }
    }
    return status;
  }

  synchronized List<NodeMigration> states() {
    return all.stream().map(Running::state).toList();
  }

  private final class Running {

    private final long id;
    private final Node target;
    private List<byte[]> keys;
    private final long startNanos = System.nanoTime();
    private long moved;
    private long failed;
    private long bytes;
    private double seconds = -1;
    private String error = "";

    Running(long id, Node target, List<byte[]> keys) {
      this.id = id;
      this.target = target;
      this.keys = keys;
    }

    private void run() throws InterruptedException {
      try {
        List<byte[]> all = objects.of(keys);
        expect(all);
        for (int from = 0; from < all.size(); from += BATCH) {
          move(all.subList(from, Math.min(all.size(), from + BATCH)));
        }
      } catch (CompletionException silent) {
        failed(keys.size(), "the directory does not answer");
      } finally {
        finished();
      }
    }

    private synchronized void expect(List<byte[]> all) {
      keys = all;
    }

    private void move(List<byte[]> some) throws InterruptedException {
      try {
        LongBuffer answer = cluster.peers.move(target, some);
        while (answer.hasRemaining()) {
          count(answer.get());
        }
      } catch (TransferException broken) {
        failed(some.size(), String.valueOf(broken.getMessage()));
      }
    }

    private synchronized void count(long movedBytes) {
      if (movedBytes < 0) {
        failed(
            1,
            movedBytes == ABSENT
                ? "no node has the value"
                : "node '%s' has no room for the value".formatted(target.name()));
      } else {
        moved++;
        bytes += movedBytes;
      }
    }

    private synchronized void failed(int count, String reason) {
      failed += count;
      error = reason;
    }

    private synchronized void finished() {
      seconds = (System.nanoTime() - startNanos) / 1e9;
      failed = keys.size() - moved;
    }

    private synchronized NodeMigration state() {
      boolean ended = seconds >= 0;
      NodeMigration.State state =
          !ended
              ? NodeMigration.State.COPYING
              : failed > 0 ? NodeMigration.State.FAILED : NodeMigration.State.DONE;
      double elapsed = ended ? seconds : (System.nanoTime() - startNanos) / 1e9;
      return new NodeMigration(
          id, target.name(), state, keys.size(), moved, failed, bytes, elapsed, error);
    }
  }
}
