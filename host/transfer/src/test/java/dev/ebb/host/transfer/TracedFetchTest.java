package dev.ebb.host.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The trace context of a request, which a node passes on to the node that it reads from. */
@Timeout(60)
class TracedFetchTest {

  private static final String CONTEXT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  private static final byte[] KEY = TransferNode.bytes("key");
  private static final FetchOptions TRACED =
      FetchOptions.READ.withTraceparent(CONTEXT).withAttempts(1);

  private record Answered(String traceparent, long nanos, long bytes) {}

  @Test
  void aServerReportsTracedFetches() throws Exception {
    LinkedBlockingQueue<Answered> answered = new LinkedBlockingQueue<>();
    SentValues values = new SentValues();
    values.put("key", 7, 3 << 20);
    try (TransferServer server =
            TransferServer.start(
                TransferNode.loopback(0),
                values,
                message -> message,
                (context, nanos, bytes) -> answered.add(new Answered(context, nanos, bytes)),
                TransferNode.OPTIONS);
        TransferClient client = new TransferClient(TransferNode.OPTIONS)) {
      for (FetchOptions options : new FetchOptions[] {FetchOptions.READ, TRACED}) {
        ReceivedValue received = new ReceivedValue();
        assertThat(client.fetch(server.address(), KEY, options.withStreams(1), received).complete())
            .isTrue();
      }
      client.fetch(server.address(), TransferNode.bytes("none"), TRACED, new ReceivedValue());

      Answered found = answered.take();
      assertThat(found.traceparent).isEqualTo(CONTEXT);
      assertThat(found.nanos).isPositive();
      assertThat(found.bytes).isEqualTo(3 << 20);
      assertThat(answered.take()).extracting(Answered::bytes).isEqualTo(-1L);
      // The fetch without a context is not reported.
      assertThat(answered).isEmpty();
    }
  }

  /** A node of the release before would refuse a request with a flag that it does not know. */
  @ParameterizedTest
  @CsvSource({"3, false", "4, true"})
  void onlyNodesThatKnowItGetTheContext(short newest, boolean traced) throws Exception {
    try (ServerSocketChannel listener = Link.listen(TransferNode.loopback(0));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        TransferClient client = new TransferClient(TransferNode.OPTIONS)) {
      Future<FetchRequest> request =
          threads.submit(() -> {
            try (FrameChannel channel = new FrameChannel(Link.accept(listener, null))) {
              new Handshake(TransferNode.OPTIONS.secret(), (short) 3, newest).server(channel);
              assertThat(channel.next()).isTrue();
              FetchRequest received =
                  FetchRequest.of(channel.flags(), channel.body(FetchRequest.MAX_BODY));
              channel.write(FrameChannel.ABSENT);
              channel.flush();
              return received;
            }
          });
      client.fetch(
          (InetSocketAddress) listener.getLocalAddress(), KEY, TRACED, new ReceivedValue());
      assertThat(request.get().traceparent()).isEqualTo(traced ? CONTEXT : null);
      assertThat(request.get().key()).isEqualTo(KEY);
    }
  }

  @ParameterizedTest
  @CsvSource({"''", "x", CONTEXT})
  void aRequestKeepsItsFields(@Nullable String context) throws PeerException {
    FetchRequest sent = new FetchRequest(TransferPriority.READ, true, 5, 6, 7, KEY, context);
    FetchRequest received = FetchRequest.of(sent.flags(), sent.body());
    assertThat(received).usingRecursiveComparison().isEqualTo(sent);
  }

  @Test
  void aContextThatExceedsTheRequestIsRefused() {
    byte[] body = new FetchRequest(TransferPriority.READ, false, 0, 0, 1, KEY, "abc").body();
    body[24] = (byte) 200;
    assertThatThrownBy(() -> FetchRequest.of(4, body))
        .isInstanceOf(PeerException.class)
        .hasMessageContaining("trace context");
    assertThatThrownBy(() -> FetchRequest.of(4, new byte[24])).isInstanceOf(PeerException.class);
    assertThat(new String(body, StandardCharsets.US_ASCII)).contains("key");
  }
}
