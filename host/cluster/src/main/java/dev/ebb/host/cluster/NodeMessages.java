package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.message.Message;
import dev.ebb.host.cluster.message.Message.Item;
import dev.ebb.host.cluster.placement.CheckReason;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

record NodeMessages(ClusterNode cluster) {

  private static final Logger LOG = LoggerFactory.getLogger(NodeMessages.class);

  byte[] handle(Message message) {
    int from = message.from();
    List<Item> items = message.items();
    switch (message.type()) {
      case OFFER -> items.forEach(item -> cluster.replication.receive(from, item, true));
      case RESTORE -> items.forEach(item -> cluster.replication.receive(from, item, false));
      case RECEIVED -> items.forEach(item -> cluster.replication.received(from, item));
      case STORED -> items.forEach(item -> cluster.replication.answered(from, item, true));
      case NOT_STORED -> items.forEach(item -> cluster.replication.answered(from, item, false));
      case TAKE -> items.forEach(item -> cluster.offload.receive(from, item));
      case TAKEN -> items.forEach(item -> cluster.offload.answered(item.key(), true));
      case NOT_TAKEN -> items.forEach(item -> cluster.offload.answered(item.key(), false));
      case ATTACH -> items.forEach(item -> cluster.stores.attach(item.key(), item.metadata()));
      case DROP ->
          items.forEach(item -> {
            cluster.stores.drop(item.key(), item.version());
            cluster.changedKeys.add(item.key(), CheckReason.NOTIFIED);
          });
      case DELETE -> {
        return deleted(items);
      }
      case REPLACED ->
          items.forEach(item -> {
            cluster.clock.observe(item.version());
            cluster.stores.disk().replaced(item.key(), item.version());
          });
      case ON_DISK -> {
        return cluster.stores.disk().answer(items);
      }
      case CHANGES -> {
        return cluster.stores.disk().changesSince(items.getFirst().version());
      }
      case CHECK ->
          items.forEach(item -> cluster.changedKeys.add(item.key(), CheckReason.NOTIFIED));
      case CLEAR ->
          items.forEach(item -> {
            cluster.clock.observe(item.version());
            cluster.stores.clear(item.version());
          });
      case DRAIN -> cluster.become(NodeState.DRAINING);
      case ACTIVATE -> cluster.become(NodeState.ACTIVE);
      case MOVE -> {
        return moved(items);
      }
      case HELD -> {
        return held(items);
      }
    }
    return new byte[0];
  }

  /** Removes values; returns for each whether it was on the disk. */
  private byte[] deleted(List<Item> items) {
    items.forEach(item -> cluster.clock.observe(item.version()));
    CompletableFuture<List<Boolean>> removed = cluster.stores.delete(items);
    items.forEach(item -> cluster.changedKeys.add(item.key(), CheckReason.NOTIFIED));
    byte[] had = new byte[items.size()];
    List<Boolean> onDisk = removed.join();
    for (int i = 0; i < had.length; i++) {
      had[i] = (byte) (onDisk.get(i) ? 1 : 0);
    }
    return had;
  }

  /** A node that drains says no, also to those that have not seen its state yet. */
  private byte[] held(List<Item> items) {
    boolean stays = cluster.members.isActive();
    byte[] answers = new byte[items.size()];
    for (int i = 0; i < answers.length; i++) {
      Item item = items.get(i);
      answers[i] = (byte) (stays && cluster.stores.holds(item.key(), item.version()) ? 1 : 0);
      // A copy that remains may have another time to live than the one that goes.
      cluster.changedKeys.add(item.key(), CheckReason.NOTIFIED);
    }
    return answers;
  }

  /** Answers what {@link NodeMigrations#adopt} does of each. */
  private byte[] moved(List<Item> items) {
    ByteBuffer answer = ByteBuffer.allocate(items.size() * Long.BYTES);
    for (Item item : items) {
      long bytes = NodeMigrations.ABSENT;
      try {
        bytes = cluster.migrations.adopt(item.key());
      } catch (CompletionException silent) {
        LOG.warn("value not moved: the directory does not answer");
      } catch (InterruptedException closing) {
        Thread.currentThread().interrupt();
      }
      answer.putLong(bytes);
    }
    return answer.array();
  }
}
