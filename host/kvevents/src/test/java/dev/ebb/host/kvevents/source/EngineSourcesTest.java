package dev.ebb.host.kvevents.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.server.KvEventsConfig;
import dev.ebb.host.config.server.KvEventsFormat;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.kvevents.EventConfigs;
import dev.ebb.host.kvevents.tokens.TokenBlock;
import dev.ebb.host.testing.Awaiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMsg;

/** Sockets as those of vLLM's publisher, against a subscriber in this process. */
class EngineSourcesTest {

  private final Map<Long, TokenBlock> learned = new ConcurrentHashMap<>();
  private final ZContext context = new ZContext();
  private final ZMQ.Socket publisher = socket(SocketType.PUB);
  private final ZMQ.Socket replay = socket(SocketType.ROUTER);
  private final List<byte[]> batches = new ArrayList<>();

  private ZMQ.Socket socket(SocketType type) {
    ZMQ.Socket socket = context.createSocket(type);
    socket.setLinger(0);
    socket.bind("tcp://127.0.0.1:*");
    return socket;
  }

  @AfterEach
  void close() {
    context.close();
  }

  private EngineSources start(boolean replays) {
    return EngineSources.start(
        EventConfigs.of(
            EventConfigs.ANY,
            null,
            "",
            KvEventsFormat.MAP,
            10,
            new KvEventsConfig.TokenSources(
                List.of(publisher.getLastEndpoint()),
                replays ? List.of(replay.getLastEndpoint()) : List.of(),
                0,
                1 << 20)),
        block -> learned.put(block.id(), block));
  }

  private static byte[] batch(long hash) {
    try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
      out.packArrayHeader(3).packDouble(1).packArrayHeader(1).packArrayHeader(8);
      out.packString("BlockStored").packArrayHeader(1).packLong(hash).packNil();
      out.packArrayHeader(2).packInt(1).packInt(2).packInt(2).packNil().packString("GPU").packNil();
      out.packInt(0);
      return out.toByteArray();
    } catch (IOException inMemory) {
      throw new AssertionError(inMemory);
    }
  }

  private void publish(long sequence, byte[] payload) {
    publisher.send("kv@engine", ZMQ.SNDMORE);
    publisher.send(ByteBuffer.allocate(8).putLong(sequence).array(), ZMQ.SNDMORE);
    publisher.send(payload);
  }

  /** Publishes until the subscription has arrived; without a replay the first may pass it by. */
  private void connect() {
    long[] next = {0};
    Awaiting.until(() -> {
      batches.add(batch(1_000 + next[0]));
      publish(next[0]++, batches.getLast());
      return !learned.isEmpty();
    });
  }

  /** Answers one request for missed batches, as vLLM does. */
  private long answer() {
    ZMsg request = ZMsg.recvMsg(replay);
    assertThat(request).hasSize(3);
    byte[] client = request.pollFirst().getData();
    long from = ByteBuffer.wrap(request.pollLast().getData()).getLong();
    for (long i = from; i < batches.size(); i++) {
      reply(client, i, batches.get((int) i));
    }
    reply(client, -1, new byte[0]);
    return from;
  }

  private void reply(byte[] client, long sequence, byte[] payload) {
    replay.send(client, ZMQ.SNDMORE);
    replay.send(new byte[0], ZMQ.SNDMORE);
    replay.send(ByteBuffer.allocate(8).putLong(sequence).array(), ZMQ.SNDMORE);
    replay.send(payload);
  }

  @Test
  void blocksOfEarlierBatchesAreRequestedAtTheStart() {
    batches.add(batch(1));
    batches.add(batch(2));
    try (EngineSources sources = start(true)) {
      assertThat(answer()).isZero();
      Awaiting.until(() -> learned.containsKey(1L) && learned.containsKey(2L));
      assertThat(learned.get(1L).tokens()).containsExactly(1, 2);
      Awaiting.until(() -> sources.stats().events() == 2);
      assertThat(sources.stats().gaps()).isZero();
    }
  }

  @Test
  void aGapIsFilledByAReplay() {
    try (EngineSources sources = start(true)) {
      answer();
      connect();
      long missed = batches.size();
      batches.add(batch(1));
      batches.add(batch(2));
      publish(missed + 1, batches.getLast());
      assertThat(answer()).isEqualTo(missed);
      Awaiting.until(() -> learned.containsKey(1L) && learned.containsKey(2L));
      assertThat(sources.stats().gaps()).isEqualTo(1);
    }
  }

  @Test
  void anEngineThatStartsAgainIsAskedForAllItsBatches() {
    try (EngineSources sources = start(true)) {
      answer();
      connect();
      Awaiting.until(() -> sources.stats().events() >= 1);
      batches.clear();
      batches.add(batch(7));
      publish(1_000_000, batch(6));
      answer();
      publish(0, batches.getFirst());
      assertThat(answer()).isZero();
      Awaiting.until(() -> learned.containsKey(6L) && learned.containsKey(7L));
      assertThat(sources.stats().gaps()).isEqualTo(2);
    }
  }

  @Test
  void garbageIsCountedAndWhatFollowsIsRead() {
    try (EngineSources sources = start(false)) {
      connect();
      Random random = new Random(3);
      for (int i = 0; i < 1_000; i++) {
        byte[] noise = new byte[random.nextInt(200)];
        random.nextBytes(noise);
        switch (i % 4) {
          case 0 -> publisher.send(noise);
          case 1 -> {
            publisher.send(noise, ZMQ.SNDMORE);
            publisher.send(noise);
          }
          default -> publish(batches.size() + i, noise);
        }
      }
      // A publisher drops what a slow subscriber has not read.
      long[] next = {5};
      Awaiting.until(() -> {
        publish(next[0]++, batch(77));
        return learned.containsKey(77L);
      });
      assertThat(sources.stats().rejected()).isGreaterThan(100);
    }
  }

  @Test
  void aMessageThatIsTooLargeEndsTheConnectionAndAnotherIsMade() {
    try (EngineSources sources = start(false)) {
      connect();
      publish(batches.size(), new byte[8 << 20]);
      long[] next = {batches.size() + 1};
      Awaiting.until(() -> {
        publish(next[0]++, batch(88));
        return learned.containsKey(88L);
      });
      assertThat(sources.stats().events()).isPositive();
    }
  }

  @Test
  void aWrongAddressIsNamedWithItsKey() {
    KvEventsConfig wrong =
        EventConfigs.of(
            EventConfigs.ANY,
            null,
            "",
            KvEventsFormat.MAP,
            10,
            new KvEventsConfig.TokenSources(List.of("tcp://*:5557"), List.of(), 0, 1 << 20));
    assertThatThrownBy(() -> EngineSources.start(wrong, block -> {}))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("'tcp://*:5557'")
        .hasMessageContaining("ebb.server.kv-events.sources");
  }
}
