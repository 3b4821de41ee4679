package dev.ebb.host.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.transfer.FaultyProxy.Fault;
import dev.ebb.host.transfer.FetchResult.Status;
import dev.ebb.host.transfer.TransferException.Reason;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResumeTest {

  private static final int CUTS = 20;
  private static final long PIECE = TransferOptions.Limits.DEFAULT.piece();

  /** Cuts the connection at places in all the bytes sent. */
  private static Fault cuts(long seed, long bytes) {
    NavigableSet<Long> places = new TreeSet<>();
    SplittableRandom random = new SplittableRandom(seed);
    while (places.size() < CUTS) {
      places.add(random.nextLong(1_000, bytes));
    }
    return (before, chunk, count) -> {
      Long place = places.floor(before + count - 1);
      if (place == null) {
        return count;
      }
      places.headSet(place, true).clear();
      return (int) Math.max(0, place - before);
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void continuesAfterCuts(int streams) throws Exception {
    int length = 64 << 20;
    try (TransferNode node = new TransferNode();
        FaultyProxy proxy = new FaultyProxy(node.address(), Fault.NONE, cuts(streams, length))) {
      SentValues.Sent sent = node.values.put("key", 7, length);
      ReceivedValue received = new ReceivedValue();

      FetchResult result =
          node.client.fetch(
              proxy.address(),
              TransferNode.bytes("key"),
              // Several cuts in a row can meet the same stream.
              TransferNode.READ.withStreams(streams).withAttempts(CUTS + 1),
              received);

      assertThat(result.status()).isEqualTo(Status.COMPLETE);
      assertThat(result.bytes()).isEqualTo(length);
      assertThat(result.received()).isBetween((long) length, (long) length + CUTS * PIECE);
      assertThat(result.retries()).isBetween(CUTS / 2, CUTS);
      assertThat(received.bytes).isEqualTo(sent.bytes());
      assertThat(received.begins.get()).isEqualTo(1);
      assertThat(node.client.counters.retries.sum()).isEqualTo(result.retries());
    }
  }

  @Test
  @Tag("stress")
  void continuesALargeValueAfterCuts() throws Exception {
    long length = 1L << 30;
    ByteBuffer pattern = SentValues.random(1, 16_777_213);
    ValueHeader header = new ValueHeader(7, Long.MAX_VALUE, length, new byte[0]);
    TransferSource.Finder finder =
        (key, read) ->
            new TransferSource() {
              @Override
              public ValueHeader header() {
                return header;
              }

              @Override
              public ByteBuffer piece(long offset, int most) {
                int at = (int) (offset % pattern.capacity());
                return pattern.slice(at, Math.min(most, pattern.capacity() - at));
              }

              @Override
              public void close() {}
            };
    try (Arena arena = Arena.ofShared();
        TransferServer server =
            TransferServer.start(
                TransferNode.loopback(0),
                finder,
                message -> message,
                FetchListener.NONE,
                TransferNode.OPTIONS);
        FaultyProxy proxy = new FaultyProxy(server.address(), Fault.NONE, cuts(9, length));
        TransferClient client = new TransferClient(TransferNode.OPTIONS)) {
      ByteBuffer memory = arena.allocate(length).asByteBuffer();
      TransferSink sink =
          new TransferSink() {
            @Override
            public boolean begin(ValueHeader started) {
              return true;
            }

            @Override
            public ByteBuffer place(long offset, int most) {
              return memory.slice((int) offset, most);
            }
          };

      FetchResult result =
          client.fetch(proxy.address(), new byte[1], FetchOptions.BACKGROUND, sink);

      assertThat(result.complete()).isTrue();
      assertThat(result.received()).isBetween(length, length + length / 20);
      assertThat(result.retries()).isBetween(CUTS / 2, CUTS);
      for (long at = 0; at < length; at += pattern.capacity()) {
        int bytes = (int) Math.min(pattern.capacity(), length - at);
        assertThat(memory.slice((int) at, bytes)).isEqualTo(pattern.slice(0, bytes));
      }
    }
  }

  /** Flips one bit in the next chunk after some bytes. */
  private static Fault flip(AtomicInteger flips, long after, int where) {
    return (before, chunk, count) -> {
      if (before >= after && flips.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        chunk[where % count] ^= 4;
      }
      return count;
    };
  }

  @Test
  void findsDamagedBytes() throws Exception {
    try (TransferNode node = new TransferNode()) {
      SentValues.Sent sent = node.values.put("key", 7, 600_000);
      SplittableRandom random = new SplittableRandom(3);
      for (int i = 0; i < 100; i++) {
        AtomicInteger flips = new AtomicInteger(1);
        Fault flip = flip(flips, 1, random.nextInt(1 << 30));
        boolean request = i % 4 == 0;
        try (FaultyProxy proxy =
                new FaultyProxy(
                    node.address(),
                    request ? flip(flips, 72, random.nextInt(1 << 30)) : Fault.NONE,
                    request ? Fault.NONE : afterHandshake(flip));
            TransferClient client = new TransferClient(TransferNode.OPTIONS)) {
          ReceivedValue received = new ReceivedValue();
          FetchResult result =
              client.fetch(proxy.address(), TransferNode.bytes("key"), TransferNode.READ, received);

          assertThat(result.complete()).isTrue();
          assertThat(flips).hasValue(0);
          assertThat(result.retries()).isEqualTo(1);
          assertThat(received.bytes).isEqualTo(sent.bytes());
          assertThat(client.counters.damaged.sum()).isEqualTo(request ? 0 : 1);
        }
      }
      Awaiting.until(() -> node.server.counters.failures.sum() == 25);
    }
  }

  /** The handshake has bytes that no checksum covers: a changed one is another secret. */
  private static Fault afterHandshake(Fault fault) {
    return (before, chunk, count) -> before < 73 ? count : fault.apply(before, chunk, count);
  }

  private static Fault largeChunks(Fault fault) {
    return (before, chunk, count) -> count < 10_000 ? count : fault.apply(before, chunk, count);
  }

  private static void assertFails(
      TransferNode node,
      FaultyProxy proxy,
      String key,
      FetchOptions options,
      Reason reason,
      String... message) {
    assertThatExceptionOfType(TransferException.class)
        .isThrownBy(() ->
            node.client.fetch(
                proxy.address(), TransferNode.bytes(key), options, new ReceivedValue()))
        .withMessageContainingAll(message)
        .extracting(TransferException::reason)
        .isEqualTo(reason);
  }

  @Test
  void failsAfterTheSecondDamage() throws Exception {
    try (TransferNode node = new TransferNode();
        FaultyProxy proxy =
            new FaultyProxy(
                node.address(),
                Fault.NONE,
                largeChunks(flip(new AtomicInteger(1_000), 0, 40_000)))) {
      node.values.put("a key", 7, 60_000_000);

      assertFails(
          node,
          proxy,
          "a key",
          TransferNode.READ,
          Reason.DAMAGED,
          "a\\x20key",
          proxy.address().toString(),
          "checksum");
    }
  }

  @Test
  void startsAgainIfTheValueChanges() throws Exception {
    try (TransferNode node = new TransferNode()) {
      node.values.put("key", 7, 30_000_000);
      ReceivedValue changing =
          new ReceivedValue() {
            @Override
            public boolean begin(ValueHeader header) {
              if (header.version() == 7) {
                node.values.put("key", 8, 20_000_000);
              }
              return super.begin(header);
            }
          };

      FetchResult result = node.fetch("key", TransferNode.READ, changing);

      assertThat(result.complete()).isTrue();
      assertThat(result.bytes()).isEqualTo(20_000_000);
      assertThat(result.header()).isEqualTo(changing.header);
      assertThat(changing.begins).hasValue(2);
      assertThat(changing.bytes).isEqualTo(SentValues.random(8, 20_000_000));
    }
  }

  @Test
  void stopsIfTheValueChangesAgainAndAgain() throws Exception {
    try (TransferNode node = new TransferNode()) {
      node.values.put("key", 7, 9_000_000);
      ReceivedValue changing =
          new ReceivedValue() {
            @Override
            public boolean begin(ValueHeader header) {
              node.values.put("key", header.version() + 1, 9_000_000);
              return super.begin(header);
            }
          };

      assertThat(node.fetch("key", TransferNode.READ, changing).status()).isEqualTo(Status.CHANGED);
      assertThat(changing.begins).hasValue(4);
    }
  }

  @Test
  void continuesAfterAStall() throws Exception {
    try (TransferNode node = new TransferNode(TransferNode.OPTIONS.withTimes(TransferNode.SHORT));
        FaultyProxy proxy = new FaultyProxy(node.address(), Fault.NONE, Fault.NONE)) {
      SentValues.Sent sent = node.values.put("key", 7, 4_000_000);
      AtomicInteger stalls = new AtomicInteger(2);
      proxy.stallIf(before -> before > 1_000_000 && stalls.getAndDecrement() > 0);
      ReceivedValue received = new ReceivedValue();

      FetchResult result =
          node.client.fetch(
              proxy.address(), TransferNode.bytes("key"), TransferNode.READ, received);

      assertThat(result.complete()).isTrue();
      assertThat(result.retries()).isGreaterThanOrEqualTo(2);
      assertThat(received.bytes).isEqualTo(sent.bytes());
    }
  }

  @Test
  void failsIfNoByteArrives() throws Exception {
    try (TransferNode node = new TransferNode(TransferNode.OPTIONS.withTimes(TransferNode.SHORT));
        FaultyProxy proxy = new FaultyProxy(node.address(), Fault.NONE, Fault.NONE)) {
      node.values.put("key", 7, 40_000_000);
      proxy.stallIf(before -> before > 1_000);

      assertFails(
          node, proxy, "key", TransferNode.READ, Reason.SILENT, "'key'", "no progress", "300 ms");
      Awaiting.until(() -> node.values.open.get() == 0);
    }
  }

  @Test
  void stopsAtTheTimeLimit() throws Exception {
    try (TransferNode node = new TransferNode();
        FaultyProxy proxy = new FaultyProxy(node.address(), Fault.NONE, Fault.NONE)) {
      node.values.put("key", 7, 40_000_000);
      proxy.stallIf(before -> before > 1_000);

      assertFails(
          node,
          proxy,
          "key",
          TransferNode.within(Duration.ofMillis(200)),
          Reason.TIMED_OUT,
          "'key'",
          "200 ms");
    }
  }

  @Test
  void receivesFromASlowPeer() throws Exception {
    try (TransferNode node = new TransferNode();
        FaultyProxy proxy = new FaultyProxy(node.address(), Fault.NONE, Fault.NONE)) {
      SentValues.Sent sent = node.values.put("key", 7, 20_000);
      proxy.chunk(7);
      ReceivedValue received = new ReceivedValue();

      assertThat(
              node.client
                  .fetch(proxy.address(), TransferNode.bytes("key"), TransferNode.READ, received)
                  .retries())
          .isZero();
      assertThat(received.bytes).isEqualTo(sent.bytes());
    }
  }
}
