package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.message.Message.Item;
import dev.ebb.host.errors.LogThrottle;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.key.ChunkKeys;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers new values to other nodes if the directory does not answer soon. While it moves to a node
 * that joins, or processors are short, an answer can take seconds, and a value without a replica is
 * lost with its node. Otherwise the directory is asked first, because it may know other copies.
 */
record DirectOffers(ClusterNode cluster) {

  private static final Logger LOG = LoggerFactory.getLogger(DirectOffers.class);
  private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long PAUSE_MILLIS = 50;
  private static final LogThrottle FAILURES = new LogThrottle();

  void run() throws InterruptedException {
    while (true) {
      try {
        cluster.writes.late(SOON_NANOS).forEach(this::offer);
      } catch (RuntimeException failed) {
        FAILURES.log(omitted -> LOG.error("values not offered omitted={}", omitted, failed));
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private void offer(byte[] key) {
    long at = cluster.writes.lastChange();
    try (ValueReader reader = cluster.stores.main().open(key)) {
      // Copies of a draining node must not evict others.
      if (reader == null || !cluster.members.isActive()) {
        return;
      }
      ValueId id = ValueId.of(key);
      List<Holder> own = List.of(new Holder(cluster.members.self().id(), false));
      cluster.writes.found(key, at, reader.version());
      ValueId chunk = ValueId.of(ChunkKeys.chunkKey(key));
      for (Node node :
          cluster
              .members
              .placement()
              .choose(chunk, reader.length(), own, cluster.config.replicas(), true)) {
        cluster.replication.offer(node.id(), id, new Item(key, reader.version()), true);
      }
    }
  }
}
