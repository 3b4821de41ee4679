package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.Membership;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.message.Message;
import dev.ebb.host.cluster.message.MessageType;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.transfer.FetchListener;
import dev.ebb.host.transfer.TransferClient;
import dev.ebb.host.transfer.TransferOptions;
import dev.ebb.host.transfer.TransferServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class PeersTest {

  private static final int ITEMS = 100;

  /** A node that sends to itself. */
  private record Alone(Node self) implements Membership {

    @Override
    public List<Node> nodes() {
      return List.of(self);
    }

    @Override
    public void publish(Node node) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void listen(Membership.ChangeListener listener) {
      throw new UnsupportedOperationException();
    }
  }

  /** Each message waits for the answer to the one before, which takes long under load. */
  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void itemsOfAlternatingTypesAreSentInFewMessages() throws Exception {
    List<Message> received = new CopyOnWriteArrayList<>();
    CountDownLatch answers = new CountDownLatch(1);
    TransferOptions options = TransferOptions.of(new byte[] {1});
    try (TransferServer server =
            TransferServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                (_, _) -> null,
                bytes -> {
                  received.add(Message.decode(bytes));
                  await(answers);
                  return new byte[0];
                },
                FetchListener.NONE,
                options);
        TransferClient client = new TransferClient(options);
        NodeThreads threads = new NodeThreads()) {
      Membership alone = new Alone(node(server.address().getPort()));
      Peers peers = new Peers(client, alone, threads, Duration.ofSeconds(1));
      peers.send(1, MessageType.CHECK, new Message.Item(bytes("first"), 0));
      Awaiting.until(() -> received.size() == 1);
      for (int i = 0; i < ITEMS; i++) {
        peers.send(1, MessageType.OFFER, new Message.Item(bytes("o" + i), i));
        peers.send(1, MessageType.STORED, new Message.Item(bytes("s" + i), i));
      }
      answers.countDown();
      Awaiting.until(
          () -> received.stream().mapToInt(each -> each.items().size()).sum() == 2 * ITEMS + 1);
    }
    assertThat(received)
        .extracting(Message::type)
        .containsExactly(MessageType.CHECK, MessageType.OFFER, MessageType.STORED);
    assertThat(received.get(1).items()).extracting(Message.Item::version).isSorted();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  private static Node node(int port) {
    return new Node(
        "a", 1, "r", "z", "127.0.0.1", port, "", "", NodeState.ACTIVE, 1, 0, 1, 0, 0, 0, 0, "");
  }
}
