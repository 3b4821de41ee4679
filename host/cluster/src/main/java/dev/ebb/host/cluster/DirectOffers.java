package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.message.Message.Item;
import dev.ebb.host.cluster.pending.PendingWrites;
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
final class DirectOffers {

  private static final Logger LOG = LoggerFactory.getLogger(DirectOffers.class);
  private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long PAUSE_MILLIS = 50;

  private final int replicas;
  private final LocalStores stores;
  private final Members members;
  private final PendingWrites writes;
  private final Replication replication;
  private final LogThrottle failures = new LogThrottle();

  DirectOffers(
      int replicas,
      LocalStores stores,
      Members members,
      PendingWrites writes,
      Replication replication) {
    this.replicas = replicas;
    this.stores = stores;
    this.members = members;
    this.writes = writes;
    this.replication = replication;
  }

  void run() throws InterruptedException {
    while (true) {
      try {
        writes.late(SOON_NANOS).forEach(this::offer);
      } catch (RuntimeException failed) {
        failures.log(omitted -> LOG.error("values not offered omitted={}", omitted, failed));
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private void offer(byte[] key) {
    long at = writes.lastChange();
    try (ValueReader reader = stores.main().open(key)) {
      if (reader == null) {
        return;
      }
      ValueId id = ValueId.of(key);
      List<Holder> own = List.of(new Holder(members.self().id(), false));
      writes.found(key, at, reader.version());
      ValueId chunk = ValueId.of(ChunkKeys.chunkKey(key));
      for (Node node : members.placement().choose(chunk, reader.length(), own, replicas)) {
        replication.offer(node.id(), id, new Item(key, reader.version()), true);
      }
    }
  }
}
