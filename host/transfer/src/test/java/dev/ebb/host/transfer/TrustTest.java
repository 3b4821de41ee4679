package dev.ebb.host.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.Histories;
import dev.ebb.host.transfer.TransferException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Peers that are strangers, broken or hostile. */
class TrustTest {

  private static final byte[] KEY = TransferNode.bytes("key");

  @ParameterizedTest
  @CsvSource({"wrong,secret", "'',secret", "secret,''"})
  void refusesAnotherSecret(String client, String server) throws Exception {
    try (TransferNode node = new TransferNode(TransferOptions.of(TransferNode.bytes(server)));
        TransferClient stranger =
            new TransferClient(TransferOptions.of(TransferNode.bytes(client)))) {
      node.values.put("key", 7, 100);

      assertThatExceptionOfType(TransferException.class)
          .isThrownBy(
              () -> stranger.fetch(node.address(), KEY, TransferNode.READ, new ReceivedValue()))
          .withMessageContainingAll("'key'", node.address().toString(), "secret")
          .extracting(TransferException::reason)
          .isEqualTo(Reason.NOT_ACCEPTED);
      assertThatExceptionOfType(TransferException.class)
          .isThrownBy(() -> stranger.call(node.address(), new byte[1], Duration.ofSeconds(30)))
          .extracting(TransferException::reason)
          .isEqualTo(Reason.NOT_ACCEPTED);
      Awaiting.until(() -> node.server.counters.notAccepted.sum() == 2);
      assertThat(stranger.counters.notAccepted.sum()).isEqualTo(2);
      assertThat(node.fetch("key", TransferNode.READ, new ReceivedValue()).complete()).isTrue();
    }
  }

  @Test
  void acceptsNodesWithoutASecret() throws Exception {
    try (TransferNode node = new TransferNode(TransferOptions.of(new byte[0]))) {
      node.values.put("key", 7, 100);
      assertThat(node.fetch("key", TransferNode.READ, new ReceivedValue()).complete()).isTrue();
    }
  }

  /** Answers one connection with fixed bytes, after each read. */
  private static Reason reasonOfFakeServer(byte[]... replies) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 50, TransferNode.loopback(0).getAddress());
        TransferClient client = new TransferClient(TransferNode.OPTIONS)) {
      Thread.ofVirtual()
          .start(() -> {
            try (Socket socket = listener.accept()) {
              for (byte[] reply : replies) {
                socket.getInputStream().read(new byte[1_000]);
                socket.getOutputStream().write(reply);
              }
              socket.getInputStream().read();
            } catch (IOException closed) {
              // The client has found the deceit.
            }
          });
      Reason[] reason = new Reason[1];
      assertThatExceptionOfType(TransferException.class)
          .isThrownBy(() ->
              client.fetch(
                  (InetSocketAddress) listener.getLocalSocketAddress(),
                  KEY,
                  TransferNode.READ.withAttempts(1),
                  new ReceivedValue()))
          .satisfies(failed -> reason[0] = failed.reason());
      return reason[0];
    }
  }

  private static byte[] hello(int version) {
    return ByteBuffer.allocate(40)
        .put(TransferNode.bytes("EBBT"))
        .putShort((short) version)
        .putShort((short) version)
        .array();
  }

  @Test
  void refusesAServerThatDoesNotKnowTheSecret() throws Exception {
    byte[] accepted = new byte[33];
    accepted[0] = 1;

    assertThat(reasonOfFakeServer(hello(Handshake.VERSION), accepted))
        .isEqualTo(Reason.NOT_ACCEPTED);
    assertThat(reasonOfFakeServer(hello(9))).isEqualTo(Reason.NOT_ACCEPTED);
    assertThat(
            reasonOfFakeServer(
                TransferNode.bytes("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")))
        .isEqualTo(Reason.NOT_ACCEPTED);
  }

  @Test
  void refusesAClientOfAnotherVersion() throws Exception {
    try (TransferNode node = new TransferNode()) {
      try (Socket socket = new Socket(node.address().getAddress(), node.address().getPort())) {
        socket.getOutputStream().write(hello(9));
        byte[] reply = socket.getInputStream().readAllBytes();

        assertThat(reply).hasSize(40).startsWith('E', 'B', 'B', 'T', 0, Handshake.VERSION);
      }
      Awaiting.until(() -> node.server.counters.notAccepted.sum() == 1);
    }
  }

  /** The last column is the version that both use; 0: none. */
  @ParameterizedTest
  @CsvSource({
    "3,3,3,3,3",
    "3,4,3,3,3",
    "3,3,3,4,3",
    "3,5,4,5,5",
    "4,5,3,3,0",
    "3,3,4,5,0",
    "3,5,4,4,4"
  })
  void peersUseTheHighestVersionThatBothAccept(
      short clientOldest, short clientNewest, short serverOldest, short serverNewest, int used)
      throws Exception {
    byte[] secret = TransferNode.OPTIONS.secret();
    Handshake server = new Handshake(secret, serverOldest, serverNewest);
    Handshake client = new Handshake(secret, clientOldest, clientNewest);
    try (ServerSocketChannel listener = Link.listen(TransferNode.loopback(0));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Integer> accepted =
          threads.submit(() -> {
            try (FrameChannel channel = new FrameChannel(Link.accept(listener, null))) {
              return server.server(channel);
            } catch (PeerException refused) {
              return refusal(refused);
            }
          });
      try (FrameChannel channel = connected((InetSocketAddress) listener.getLocalAddress())) {
        assertThat(client.client(channel)).isEqualTo(used);
      } catch (PeerException refused) {
        assertThat(refusal(refused)).isEqualTo(used);
      }
      assertThat(accepted.get()).isEqualTo(used);
    }
  }

  private static int refusal(PeerException refused) {
    assertThat(refused.reason()).isEqualTo(Reason.NOT_ACCEPTED);
    assertThat(refused).hasMessageContainingAll("versions", "one minor version of Ebb at a time");
    return 0;
  }

  @Test
  void limitsHalfHandshakes() throws Exception {
    TransferOptions.Limits few = new TransferOptions.Limits(20, 5, 4, 1 << 18, 8 << 20);
    try (TransferNode node =
        new TransferNode(TransferNode.limited(few).withTimes(TransferNode.SHORT))) {
      node.values.put("key", 7, 100);
      List<Socket> sockets = new ArrayList<>();
      try {
        for (int i = 0; i < 50; i++) {
          Socket socket = new Socket(node.address().getAddress(), node.address().getPort());
          socket.getOutputStream().write(hello(1), 0, i % 40);
          sockets.add(socket);
          assertThat(node.server.connections()).isLessThanOrEqualTo(5);
        }
      } catch (IOException refused) {
        assertThat(sockets).isNotEmpty();
      }
      Awaiting.until(() -> node.server.connections() == 0);
      // Some of them may only be accepted now.
      Awaiting.until(() -> fetches(node));
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  @Test
  void oneAddressDoesNotKeepOthersOut() throws Exception {
    TransferOptions.Limits few = new TransferOptions.Limits(20, 5, 4, 1 << 18, 8 << 20);
    List<Socket> sockets = new ArrayList<>();
    try (TransferNode node = new TransferNode(TransferNode.limited(few))) {
      node.values.put("key", 7, 100);
      InetSocketAddress server = node.address();
      for (int i = 0; i < 10; i++) {
        sockets.add(
            new Socket(
                server.getAddress(), server.getPort(), InetAddress.getByName("127.0.0.2"), 0));
      }
      assertThat(node.fetch("key", TransferNode.READ.withAttempts(1), new ReceivedValue()))
          .matches(FetchResult::complete);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static boolean fetches(TransferNode node) {
    try {
      return node.fetch("key", TransferNode.READ, new ReceivedValue()).complete();
    } catch (TransferException refused) {
      return false;
    } catch (InterruptedException ended) {
      throw new AssertionError(ended);
    }
  }

  @Test
  void closesConnectionsWithGarbage() throws Exception {
    try (TransferNode node = new TransferNode()) {
      SentValues.Sent sent = node.values.put("key", 7, 1_000_000);
      SplittableRandom random = new SplittableRandom(11);
      for (int i = 0; i < Histories.times(300); i++) {
        byte[] garbage = new byte[random.nextInt(1, 200)];
        random.nextBytes(garbage);
        if (i % 2 == 0) {
          System.arraycopy(hello(1), 0, garbage, 0, Math.min(8, garbage.length));
        }
        try (Socket socket = new Socket(node.address().getAddress(), node.address().getPort())) {
          socket.getOutputStream().write(garbage);
          socket.shutdownOutput();
          drain(socket.getInputStream());
        }
      }
      Awaiting.until(() -> node.server.connections() == 0);
      ReceivedValue received = new ReceivedValue();
      assertThat(node.fetch("key", TransferNode.READ, received).complete()).isTrue();
      assertThat(received.bytes).isEqualTo(sent.bytes());
    }
  }

  private static void drain(InputStream in) {
    try {
      in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException reset) {
      // The server closed the connection before it read everything.
    }
  }

  @Test
  void closesConnectionsWithInvalidFrames() throws Exception {
    try (TransferNode node = new TransferNode(TransferNode.OPTIONS.withTimes(TransferNode.SHORT))) {
      SentValues.Sent sent = node.values.put("key", 7, 1_000_000);
      SplittableRandom random = new SplittableRandom(12);
      for (int i = 0; i < Histories.times(600); i++) {
        byte[] frame = randomFrame(random);
        try (FrameChannel channel = authenticated(node.address())) {
          channel.writeRaw(frame);
          channel.flush();
          if (i % 10 == 0) {
            var _ = channel.next();
          }
        } catch (IOException refused) {
          // The server closed the connection.
        }
      }
      Awaiting.until(() -> node.server.connections() == 0);
      assertThat(node.values.open).hasValue(0);
      assertThat(node.server.counters.failures.sum()).isPositive();
      ReceivedValue received = new ReceivedValue();
      assertThat(node.fetch("key", TransferNode.READ, received).complete()).isTrue();
      assertThat(received.bytes).isEqualTo(sent.bytes());
    }
  }

  private static FrameChannel connected(InetSocketAddress address) throws IOException {
    return new FrameChannel(Link.connect(address, Duration.ofSeconds(30), null));
  }

  private static FrameChannel authenticated(InetSocketAddress address) throws IOException {
    FrameChannel channel = connected(address);
    new Handshake(TransferNode.OPTIONS.secret()).client(channel);
    return channel;
  }

  /** Returns a frame with a random body; in most, the header has the right checksum. */
  private static byte[] randomFrame(SplittableRandom random) {
    byte[] body = new byte[random.nextInt(60)];
    random.nextBytes(body);
    int type = random.nextInt(10);
    int flags = random.nextInt(5);
    int length =
        switch (random.nextInt(4)) {
          case 0 -> random.nextInt();
          case 1 -> body.length + 1;
          default -> body.length;
        };
    CRC32C checksum = new CRC32C();
    checksum.update(body);
    ByteBuffer frame = ByteBuffer.allocate(FrameChannel.HEADER + body.length);
    frame.put((byte) type).put((byte) flags).putShort((short) 0).putInt(length).putLong(0);
    frame.putInt(random.nextInt(8) == 0 ? random.nextInt() : (int) checksum.getValue());
    checksum.reset();
    checksum.update(frame.array(), 0, 20);
    frame.putInt(random.nextInt(8) == 0 ? random.nextInt() : (int) checksum.getValue());
    return frame.put(body).array();
  }

  @Test
  void closesAConnectionThatStopsReading() throws Exception {
    try (TransferNode node = new TransferNode(TransferNode.OPTIONS.withTimes(TransferNode.SHORT))) {
      node.values.put("key", 7, 64 << 20);
      FrameChannel channel = authenticated(node.address());
      FetchRequest request =
          new FetchRequest(TransferPriority.READ, false, 0, 0, Long.MAX_VALUE, KEY, null);
      channel.write(FrameChannel.FETCH, request.flags(), request.body());
      channel.flush();

      Awaiting.until(() -> node.server.counters.failures.sum() == 1);
      Awaiting.until(() -> node.values.open.get() == 0);
      channel.close();
    }
  }

  @Test
  void limitsTheConnectionsOfAServer() throws Exception {
    TransferOptions.Limits few = new TransferOptions.Limits(2, 5, 4, 1 << 18, 8 << 20);
    try (TransferNode node = new TransferNode(TransferNode.limited(few))) {
      node.values.put("key", 7, 100);
      FrameChannel first = authenticated(node.address());
      FrameChannel second = authenticated(node.address());

      assertThatExceptionOfType(TransferException.class)
          .isThrownBy(() -> node.fetch("key", TransferNode.READ, new ReceivedValue()))
          .extracting(TransferException::reason)
          .isEqualTo(Reason.UNREACHABLE);
      first.close();
      second.close();
      Awaiting.until(() -> node.server.connections() == 0);
      assertThat(node.fetch("key", TransferNode.READ, new ReceivedValue()).complete()).isTrue();
    }
  }

  @Test
  void closesUnusedConnections() throws Exception {
    TransferOptions.TimeLimits brief =
        new TransferOptions.TimeLimits(
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Duration.ofMillis(100));
    try (TransferNode node = new TransferNode(TransferNode.OPTIONS.withTimes(brief))) {
      node.values.put("key", 7, 100);
      FrameChannel unused = authenticated(node.address());

      assertThat(node.fetch("key", TransferNode.READ, new ReceivedValue()).complete()).isTrue();
      Awaiting.until(() -> node.client.connections() == 0);
      Awaiting.until(() -> node.server.connections() == 0);
      assertThat(node.fetch("key", TransferNode.READ, new ReceivedValue()).complete()).isTrue();
      unused.close();
    }
  }

  @Test
  void failsIfTheServerIsClosedMeanwhile() throws Exception {
    try (TransferNode node = new TransferNode();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      node.values.put("key", 7, 64 << 20);
      CountDownLatch placed = new CountDownLatch(1);
      CountDownLatch closed = new CountDownLatch(1);
      ReceivedValue waiting =
          new ReceivedValue() {
            @Override
            public ByteBuffer place(long offset, int most) {
              placed.countDown();
              try {
                closed.await();
              } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
              }
              return super.place(offset, most);
            }
          };
      Future<FetchResult> fetch =
          threads.submit(() -> node.fetch("key", TransferNode.READ, waiting));
      placed.await();
      node.server.close();
      assertThat(node.values.open).hasValue(0);
      closed.countDown();

      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(fetch::get)
          .havingCause()
          .isInstanceOfSatisfying(
              TransferException.class,
              failed -> assertThat(failed.reason()).isEqualTo(Reason.UNREACHABLE));
    }
  }

  @Test
  void reportsAClosedClientAndAMissingPeer() throws Exception {
    try (TransferNode node = new TransferNode()) {
      InetSocketAddress address = node.address();
      node.server.close();
      assertThatExceptionOfType(TransferException.class)
          .isThrownBy(() -> node.fetch("key", TransferNode.READ, new ReceivedValue()))
          .withMessageContainingAll("'key'", address.toString())
          .extracting(TransferException::reason)
          .isEqualTo(Reason.UNREACHABLE);
      assertThat(node.client.counters.retries.sum()).isEqualTo(2);
      assertThat(node.client.counters.failures.sum()).isEqualTo(1);
      node.client.close();
      assertThatExceptionOfType(TransferException.class)
          .isThrownBy(() -> node.client.call(address, new byte[1], Duration.ofSeconds(30)))
          .extracting(TransferException::reason)
          .isEqualTo(Reason.CLOSED);
    }
  }
}
