package dev.ebb.host.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.transfer.FetchResult.Status;
import dev.ebb.host.transfer.TransferException.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransferTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 65_536, 262_144, 262_145, 1 << 20, 9_000_001, 64 << 20})
  void receivesTheBytesSent(int length) throws Exception {
    try (TransferNode node = new TransferNode()) {
      SentValues.Sent sent = node.values.put("key", 7, length);
      ReceivedValue received = new ReceivedValue();

      FetchResult result = node.fetch("key", TransferNode.READ, received);

      assertThat(result)
          .isEqualTo(new FetchResult(Status.COMPLETE, sent.header(), length, length, 0));
      assertThat(received.header).isEqualTo(sent.header());
      assertThat(received.bytes).isEqualTo(sent.bytes());
      assertThat(node.client.counters.readBytes.sum()).isEqualTo(length);
      assertThat(node.client.counters.readValues.sum()).isEqualTo(1);
      Awaiting.until(() -> node.values.open.get() == 0);
      Awaiting.until(() -> node.server.counters.readBytes.sum() == length);
    }
  }

  @Test
  void tellsOnceThatAValueIsRead() throws Exception {
    try (TransferNode node = new TransferNode()) {
      node.values.put("key", 7, 64 << 20);

      node.fetch("key", TransferNode.READ, new ReceivedValue());
      assertThat(node.values.reads).hasValue(1);
      node.fetch("key", FetchOptions.BACKGROUND, new ReceivedValue());
      assertThat(node.values.reads).hasValue(1);
    }
  }

  @Test
  void receivesPartOfAValue() throws Exception {
    try (TransferNode node = new TransferNode()) {
      SentValues.Sent sent = node.values.put("key", 7, 20_000_000);
      ReceivedValue received = new ReceivedValue();

      FetchResult result =
          node.fetch("key", TransferNode.READ.withRange(1_000_001, 18_000_000), received);

      assertThat(result.complete()).isTrue();
      assertThat(result.bytes()).isEqualTo(18_000_000);
      assertThat(received.bytes.slice(1_000_001, 18_000_000))
          .isEqualTo(sent.bytes().slice(1_000_001, 18_000_000));
      assertThat(received.bytes.get(1_000_000)).isZero();
      assertThat(node.fetch("key", TransferNode.READ.withRange(19_999_990, 100), received).bytes())
          .isEqualTo(10);
      assertThat(node.fetch("key", TransferNode.READ.withRange(30_000_000, 100), received))
          .isEqualTo(new FetchResult(Status.COMPLETE, sent.header(), 0, 0, 0));
    }
  }

  @Test
  void reportsAbsentValues() throws Exception {
    try (TransferNode node = new TransferNode()) {
      node.values.put("old", 7, 10);
      ReceivedValue received = new ReceivedValue();

      assertThat(node.fetch("none", TransferNode.READ, received).status()).isEqualTo(Status.ABSENT);
      assertThat(node.fetch("old", TransferNode.atLeast(8), received).status())
          .isEqualTo(Status.ABSENT);
      assertThat(node.fetch("old", TransferNode.atLeast(7), received).complete()).isTrue();
      assertThat(received.begins.get()).isEqualTo(1);
      assertThat(node.client.connections()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 1 << 20, 64 << 20})
  void stopsIfTheSinkRefuses(int length) throws Exception {
    try (TransferNode node = new TransferNode()) {
      node.values.put("key", 7, length);
      ReceivedValue refusing =
          new ReceivedValue() {
            @Override
            public boolean begin(ValueHeader header) {
              return false;
            }
          };

      assertThat(node.fetch("key", TransferNode.READ, refusing).status()).isEqualTo(Status.REFUSED);
      assertThat(node.fetch("key", TransferNode.READ, new ReceivedValue()).complete()).isTrue();
    }
  }

  @Test
  void passesOnTheExceptionOfASink() throws Exception {
    try (TransferNode node = new TransferNode()) {
      node.values.put("key", 7, 64 << 20);
      ReceivedValue failing =
          new ReceivedValue() {
            @Override
            public ByteBuffer place(long offset, int most) {
              if (offset > 30_000_000) {
                throw new IllegalStateException("no memory at " + offset);
              }
              return super.place(offset, most);
            }
          };

      assertThatIllegalStateException()
          .isThrownBy(() -> node.fetch("key", TransferNode.READ, failing))
          .withMessageContaining("no memory");
      assertThat(node.fetch("key", TransferNode.READ, new ReceivedValue()).complete()).isTrue();
      Awaiting.until(() -> node.values.open.get() == 0);
    }
  }

  @Test
  void reportsAValueRemovedMeanwhileAsAbsent() throws Exception {
    try (TransferNode node = new TransferNode()) {
      node.values.put("key", 7, 64 << 20);
      ReceivedValue removing =
          new ReceivedValue() {
            @Override
            public ByteBuffer place(long offset, int most) {
              node.values.remove("key");
              return super.place(offset, most);
            }
          };

      assertThat(node.fetch("key", TransferNode.READ, removing).status()).isEqualTo(Status.ABSENT);
      Awaiting.until(() -> node.values.open.get() == 0);
    }
  }

  @Test
  void sharesConnectionsAmongManyFetches() throws Exception {
    try (TransferNode node = new TransferNode();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<SentValues.Sent> sent = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        sent.add(node.values.put("key" + i, i, 1_000 * i));
      }
      List<Callable<ReceivedValue>> fetches = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        String key = "key" + i;
        FetchOptions options = i % 2 == 0 ? TransferNode.READ : FetchOptions.BACKGROUND;
        fetches.add(() -> {
          ReceivedValue received = new ReceivedValue();
          assertThat(node.fetch(key, options, received).complete()).isTrue();
          return received;
        });
      }
      List<Future<ReceivedValue>> results = threads.invokeAll(fetches);
      for (int i = 0; i < 200; i++) {
        assertThat(results.get(i).get().bytes).isEqualTo(sent.get(i).bytes());
      }
      assertThat(node.client.connections()).isBetween(1, TransferOptions.Limits.DEFAULT.perPeer());
      assertThat(node.client.counters.readValues.sum()).isEqualTo(100);
      assertThat(node.client.counters.backgroundValues.sum()).isEqualTo(100);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 70_000, TransferOptions.MAX_MESSAGE})
  void answersMessages(int length) throws Exception {
    try (TransferNode node = new TransferNode()) {
      byte[] message = new byte[length];
      SentValues.random(length, length).get(message);

      assertThat(node.client.call(node.address(), message, Duration.ofSeconds(30)))
          .isEqualTo(message);
      Awaiting.until(() -> node.server.counters.messages.sum() == 1);
    }
  }

  @Test
  void reportsTheErrorOfAMessage() throws Exception {
    UnaryOperator<byte[]> failing =
        message -> {
          throw new IllegalStateException("no such key 'k'");
        };
    try (TransferNode node = new TransferNode(TransferNode.OPTIONS, failing)) {
      assertThatExceptionOfType(TransferException.class)
          .isThrownBy(() -> node.client.call(node.address(), new byte[1], Duration.ofSeconds(30)))
          .withMessageContainingAll(node.address().toString(), "no such key 'k'")
          .extracting(TransferException::reason)
          .isEqualTo(Reason.PEER_FAILED);
      assertThat(node.client.connections()).isEqualTo(1);
    }
  }

  @Test
  void limitsTheTimeOfACall() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    UnaryOperator<byte[]> slow =
        message -> {
          try {
            end.await();
          } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
          }
          return message;
        };
    try (TransferNode node = new TransferNode(TransferNode.OPTIONS, slow)) {
      assertThatExceptionOfType(TransferException.class)
          .isThrownBy(() -> node.client.call(node.address(), new byte[1], Duration.ofMillis(100)))
          .extracting(TransferException::reason)
          .isEqualTo(Reason.TIMED_OUT);
      end.countDown();
    }
  }

  @Test
  void callsAgainAfterTheServerWasRestarted() throws Exception {
    try (TransferNode node = new TransferNode()) {
      byte[] message = {1, 2, 3};
      assertThat(node.client.call(node.address(), message, Duration.ofSeconds(30)))
          .isEqualTo(message);
      node.server.close();
      Awaiting.until(() -> node.server.connections() == 0);
      try (TransferServer again =
          TransferServer.start(
              node.address(),
              node.values,
              other -> other,
              FetchListener.NONE,
              TransferNode.OPTIONS)) {
        assertThat(node.client.call(again.address(), message, Duration.ofSeconds(30)))
            .isEqualTo(message);
      }
    }
  }

  @Test
  void refusesLongKeysAndMessages() throws Exception {
    try (TransferNode node = new TransferNode()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() ->
              node.client.fetch(
                  node.address(),
                  new byte[TransferOptions.MAX_KEY + 1],
                  TransferNode.READ,
                  new ReceivedValue()))
          .withMessageContainingAll("1048577", "1048576");
      assertThatIllegalArgumentException()
          .isThrownBy(() ->
              node.client.call(
                  node.address(),
                  new byte[TransferOptions.MAX_MESSAGE + 1],
                  Duration.ofSeconds(30)))
          .withMessageContaining("16777217");
    }
  }

  @Test
  void endsAFetchThatIsInterrupted() throws Exception {
    try (TransferNode node = new TransferNode()) {
      node.values.put("key", 7, 64 << 20);
      CountDownLatch placed = new CountDownLatch(1);
      ReceivedValue received =
          new ReceivedValue() {
            @Override
            public ByteBuffer place(long offset, int most) {
              placed.countDown();
              return super.place(offset, 1);
            }
          };
      Future<?>[] fetch = new Future<?>[1];
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        fetch[0] = threads.submit(() -> node.fetch("key", TransferNode.READ, received));
        placed.await();
        threads.shutdownNow();
      }
      assertThatExceptionOfType(java.util.concurrent.ExecutionException.class)
          .isThrownBy(() -> fetch[0].get())
          .withCauseInstanceOf(InterruptedException.class);
      Awaiting.until(() -> node.values.open.get() == 0);
    }
  }
}
