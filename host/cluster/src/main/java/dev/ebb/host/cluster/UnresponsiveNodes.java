package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.Membership;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.message.Message;
import dev.ebb.host.cluster.message.MessageType;
import dev.ebb.host.transfer.TransferClient;
import dev.ebb.host.transfer.TransferException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Live nodes that did not answer. Commands of clients do not wait for them. Each is asked again
 * until it answers, or has left the cluster.
 */
final class UnresponsiveNodes {

  private static final Logger LOG = LoggerFactory.getLogger(UnresponsiveNodes.class);
  private static final long PAUSE_MILLIS = 500;

  private final TransferClient client;
  private final Membership membership;
  private final NodeThreads threads;
  private final Duration timeout;
  private final Set<Integer> unresponsive = ConcurrentHashMap.newKeySet();

  UnresponsiveNodes(
      TransferClient client, Membership membership, NodeThreads threads, Duration timeout) {
    this.client = client;
    this.membership = membership;
    this.threads = threads;
    this.timeout = timeout;
  }

  boolean contains(Node node) {
    return unresponsive.contains(node.id());
  }

  /** Returns whether a request failed because the node did not answer, which is logged once. */
  boolean failed(Node node, TransferException failure) {
    boolean unanswered =
        switch (failure.reason()) {
          case SILENT, TIMED_OUT, UNREACHABLE -> true;
          case NOT_ACCEPTED, DAMAGED, PEER_FAILED, CLOSED -> false;
        };
    if (unanswered && unresponsive.add(node.id())) {
      LOG.warn("node '{}' does not answer: {}", node.name(), failure.getMessage());
      threads.start("silent-" + node.name(), () -> askUntilAnswered(node));
    }
    return unanswered;
  }

  private void askUntilAnswered(Node node) throws InterruptedException {
    // A check of no values, which changes nothing.
    byte[] question = new Message(MessageType.CHECK, membership.self().id(), List.of()).encode();
    for (Optional<Node> now = membership.node(node.id());
        now.isPresent();
        now = membership.node(node.id())) {
      try {
        client.call(Peers.address(now.get()), question, timeout);
        LOG.warn("node '{}' answers again", node.name());
        break;
      } catch (TransferException stillSilent) {
        Thread.sleep(PAUSE_MILLIS);
      }
    }
    unresponsive.remove(node.id());
  }
}
