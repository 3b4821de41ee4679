package dev.ebb.host.cluster;

import dev.ebb.host.cluster.Fetcher.Part;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.message.Message.Item;
import dev.ebb.host.cluster.message.MessageType;
import dev.ebb.host.errors.LogThrottle;
import dev.ebb.host.transfer.FetchResult.Status;
import dev.ebb.host.transfer.TransferException;
import dev.ebb.host.transfer.TransferException.Reason;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fetches from other nodes for reads of clients: at most some at a time, and counted. */
final class ReadFetches {

  private static final Logger LOG = LoggerFactory.getLogger(ReadFetches.class);

  /** More fetches at a time would only wait for each other. */
  private static final int MOST = 64;

  private final Peers peers;
  private final Semaphore slots = new Semaphore(MOST);
  private final LogThrottle failures = new LogThrottle();

  final LongAdder fetches = new LongAdder();
  final LongAdder failed = new LongAdder();
  final LongAdder bytes = new LongAdder();
  final LongAdder nanos = new LongAdder();

  interface Fetch {
    Part from(Node node) throws TransferException, InterruptedException;
  }

  ReadFetches(Peers peers) {
    this.peers = peers;
  }

  /** Fetches something of a value; returns null if the node does not answer, or fails. */
  @Nullable Part run(byte[] key, Node node, Fetch fetch) throws InterruptedException {
    slots.acquire();
    try {
      return peers.responds(node) ? run(key, node, fetch, true) : null;
    } finally {
      slots.release();
    }
  }

  private @Nullable Part run(byte[] key, Node node, Fetch fetch, boolean again)
      throws InterruptedException {
    long start = System.nanoTime();
    try {
      Part part = fetch.from(node);
      if (part.result().complete()) {
        fetches.increment();
        bytes.add(part.result().bytes());
        nanos.add(System.nanoTime() - start);
      } else if (part.result().status() != Status.REFUSED) {
        peers.send(node.id(), MessageType.CHECK, new Item(key, 0));
      }
      return part;
    } catch (TransferException broken) {
      if (again && broken.reason() == Reason.UNREACHABLE) {
        // The connection was an old one, perhaps.
        return run(key, node, fetch, false);
      }
      failed.increment();
      if (!peers.isUnanswered(node, broken)) {
        failures.log(omitted ->
            LOG.warn(
                "read from a node failed node={} reason=\"{}\" omitted={}",
                node.name(),
                broken.getMessage(),
                omitted));
      }
      return null;
    }
  }
}
