package dev.ebb.host.cluster;

import dev.ebb.host.cluster.change.MissedChanges;
import dev.ebb.host.cluster.directory.Membership;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.message.Message;
import dev.ebb.host.cluster.message.MessageType;
import dev.ebb.host.errors.LogThrottle;
import dev.ebb.host.transfer.TransferClient;
import dev.ebb.host.transfer.TransferException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages to the other nodes. Small ones wait for each other and are sent together. Commands of
 * clients do not wait for live nodes that did not answer: each is asked again until it answers, or
 * has left the cluster.
 */
final class Peers implements MissedChanges.Asking {

  private static final Logger LOG = LoggerFactory.getLogger(Peers.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration ASK_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration MOVE_TIMEOUT = Duration.ofMinutes(10);

  private static final long RETRY_MILLIS = 500;
  private static final int MOST_ATTEMPTS = 20;

  /** The bytes of items that are sent before later ones. */
  private static final int MOST_BYTES = 1 << 20;

  /** The most items that wait for one node. */
  private static final int MOST_WAITING = 1 << 16;

  private final TransferClient client;
  private final Membership membership;
  private final NodeThreads threads;
  private final Duration timeout;
  private final Set<Integer> unresponsive = ConcurrentHashMap.newKeySet();
  private final Map<Integer, Outbox> outboxes = new ConcurrentHashMap<>();
  private final LogThrottle failures = new LogThrottle();

  /**
   * Creates the messages of a node.
   *
   * @param timeout how long a node may take to answer again
   */
  Peers(TransferClient client, Membership membership, NodeThreads threads, Duration timeout) {
    this.threads = threads;
    this.timeout = timeout;
    this.client = client;
    this.membership = membership;
  }

  private record Waiting(MessageType type, Message.Item item) {}

  Optional<Node> node(int id) {
    return membership.node(id);
  }

  static InetSocketAddress address(Node node) {
    return new InetSocketAddress(node.host(), node.transferPort());
  }

  byte[] call(Node to, MessageType type, List<Message.Item> items, Duration timeout)
      throws TransferException, InterruptedException {
    try {
      Message message = new Message(type, membership.self().id(), items);
      return client.call(address(to), message.encode(), timeout);
    } catch (TransferException failed) {
      if (!isUnanswered(to, failed)) {
        failures.log(omitted ->
            LOG.warn(
                "message to a node failed node={} type={} reason=\"{}\" omitted={}",
                to.name(),
                type,
                failed.getMessage(),
                omitted));
      }
      throw failed;
    }
  }

  @Override
  public byte @Nullable [] call(Node to, MessageType type, Message.Item item)
      throws InterruptedException {
    try {
      return call(to, type, List.of(item), ASK_TIMEOUT);
    } catch (TransferException silent) {
      return null;
    }
  }

  /** Returns whether a node has answered lately. */
  boolean responds(Node node) {
    return !unresponsive.contains(node.id());
  }

  /** Returns whether a request failed because the node did not answer, which is logged once. */
  boolean isUnanswered(Node node, TransferException failure) {
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
    for (Optional<Node> now = node(node.id()); now.isPresent(); now = node(node.id())) {
      try {
        client.call(address(now.get()), question, timeout);
        LOG.warn("node '{}' answers again", node.name());
        break;
      } catch (TransferException stillSilent) {
        Thread.sleep(RETRY_MILLIS);
      }
    }
    unresponsive.remove(node.id());
  }

  /** Returns a byte for each item, 1 if the node has it; none if the node does not answer. */
  byte[] held(int to, List<Message.Item> items) throws InterruptedException {
    Optional<Node> node = node(to).filter(this::responds);
    try {
      return node.isEmpty() ? new byte[0] : call(node.get(), MessageType.HELD, items, TIMEOUT);
    } catch (TransferException failed) {
      return new byte[0];
    }
  }

  /**
   * Makes a node fetch values and hold their primary copies.
   *
   * @return for each value its size in bytes, {@link NodeMigrations#ABSENT} or {@link
   *     NodeMigrations#REFUSED}
   */
  LongBuffer move(Node to, List<byte[]> keys) throws TransferException, InterruptedException {
    List<Message.Item> items = keys.stream().map(key -> new Message.Item(key, 0)).toList();
    return ByteBuffer.wrap(call(to, MessageType.MOVE, items, MOVE_TIMEOUT)).asLongBuffer();
  }

  /** Sends an item soon, together with others; returns whether there was room for it. */
  @Override
  public boolean send(int to, MessageType type, Message.Item item) {
    return outboxes.computeIfAbsent(to, Outbox::new).waiting.offer(new Waiting(type, item));
  }

  void retain(Iterable<Node> live) {
    List<Integer> ids = new ArrayList<>();
    live.forEach(node -> ids.add(node.id()));
    outboxes.forEach((id, outbox) -> {
      if (!ids.contains(id) && outboxes.remove(id, outbox)) {
        outbox.sender.interrupt();
      }
    });
  }

  /** The items that wait for one node, and the thread that sends them. */
  private final class Outbox {

    private final int to;
    private final BlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>(MOST_WAITING);
    private final Thread sender;

    Outbox(int to) {
      this.to = to;
      sender = threads.start("cluster-to-" + Integer.toHexString(to), this::run);
    }

    private void run() throws InterruptedException {
      while (true) {
        for (Map.Entry<MessageType, List<Message.Item>> each : taken().entrySet()) {
          for (List<Message.Item> some : Message.parts(each.getValue())) {
            send(each.getKey(), some);
          }
        }
      }
    }

    /**
     * Waits for an item, and takes all that wait, up to some bytes: by type, in their order. Items
     * of different types alternate when nodes copy each other's values, and each message waits for
     * the answer to the one before.
     */
    private Map<MessageType, List<Message.Item>> taken() throws InterruptedException {
      Map<MessageType, List<Message.Item>> taken = new LinkedHashMap<>();
      long bytes = 0;
      Waiting next = waiting.take();
      while (next != null) {
        taken.computeIfAbsent(next.type, _ -> new ArrayList<>()).add(next.item);
        bytes += next.item.key().length + next.item.metadata().length;
        next = bytes < MOST_BYTES ? waiting.poll() : null;
      }
      return taken;
    }

    /** Repeats a message that fails, until the node would have been seen as lost. */
    private void send(MessageType type, List<Message.Item> items) throws InterruptedException {
      for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        Optional<Node> node = node(to);
        if (node.isEmpty()) {
          return;
        }
        try {
          call(node.get(), type, items, TIMEOUT);
          return;
        } catch (TransferException failed) {
          Thread.sleep(RETRY_MILLIS);
        }
      }
    }
  }
}
