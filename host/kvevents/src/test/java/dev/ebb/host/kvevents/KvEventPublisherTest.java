package dev.ebb.host.kvevents;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.server.KvEventsConfig;
import dev.ebb.host.config.server.KvEventsConfig.TokenSources;
import dev.ebb.host.config.server.KvEventsFormat;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.kvevents.Subscriber.Message;
import dev.ebb.host.store.key.KeyListener;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.spi.RemovalCause;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

class KvEventPublisherTest {

  private static final String CLEARED = "[\"AllBlocksCleared\"]";

  private final Subscriber subscriber = new Subscriber();

  @AfterEach
  void close() {
    subscriber.close();
  }

  private static KvEventsConfig config(String topic, int steps) {
    return EventConfigs.of(topic, KvEventsFormat.ARRAY, steps);
  }

  private static KvEventPublisher start(int queueSize, int steps) {
    return KvEventPublisher.start(config("kv@ebb@m", steps), Clock.systemUTC(), queueSize);
  }

  private static byte[] chunk(long hash) {
    return ("m@1@0@" + Long.toHexString(hash) + "@half").getBytes(StandardCharsets.UTF_8);
  }

  private static String stored(long hash) {
    return "[\"BlockStored\",[%s],null,[],0,null,\"CPU\",null]".formatted(hash);
  }

  private static void store(KvEventPublisher publisher, long hash) {
    publisher.listener().stored(chunk(hash), KeyListener.ONLY_GROUP, null, null);
  }

  private static void await(KvEventPublisher publisher, long events) {
    Awaiting.until(() -> publisher.stats().events() >= events);
  }

  private List<Message> replay(KvEventPublisher publisher, long from) {
    return subscriber.replay(requireNonNull(publisher.replayEndpoint()), from);
  }

  @Test
  void aSubscriberReceivesItsTopicInOrder() {
    try (KvEventPublisher publisher = start(1_000, 100)) {
      ZMQ.Socket other = subscriber.subscribe(publisher.endpoint(), "other");
      ZMQ.Socket socket = subscriber.subscribe(publisher.endpoint(), "kv@");
      // Until the subscription has arrived, messages pass it by.
      socket.setReceiveTimeOut(100);
      byte[] first = null;
      for (int i = 0; first == null; i++) {
        store(publisher, i);
        first = socket.recv();
      }
      assertThat(first).asString(StandardCharsets.UTF_8).isEqualTo("kv@ebb@m");
      socket.recv();
      socket.recv();
      socket.setReceiveTimeOut(60_000);

      store(publisher, 1_000_000);
      publisher.listener().removed(chunk(1_000_000), KeyListener.ONLY_GROUP, RemovalCause.EVICTED);
      publisher.listener().cleared();
      Message message = Subscriber.receive(socket);
      while (!message.events().contains(stored(1_000_000))) {
        message = Subscriber.receive(socket);
      }
      assertThat(message.topic()).isEqualTo("kv@ebb@m");
      long sequence = message.sequence();
      List<String> events = new ArrayList<>(message.events());
      while (!events.contains(CLEARED)) {
        message = Subscriber.receive(socket);
        assertThat(message.sequence()).isEqualTo(++sequence);
        events.addAll(message.events());
      }
      assertThat(events)
          .endsWith(stored(1_000_000), "[\"BlockRemoved\",[1000000],\"CPU\"]", CLEARED);
      other.setReceiveTimeOut(0);
      assertThat(other.recv()).isNull();
    }
  }

  @Test
  void missedBatchesAreReplayedFromANumberOn() {
    try (KvEventPublisher publisher = start(1_000, 100)) {
      for (int i = 1; i <= 20; i++) {
        store(publisher, i);
        await(publisher, i + 1);
      }
      List<Message> all = replay(publisher, 0);
      assertThat(all.getFirst().sequence()).isZero();
      assertThat(all.getFirst().events().getFirst()).isEqualTo(CLEARED);
      assertThat(all.stream().flatMap(message -> message.events().stream()).skip(1))
          .containsExactlyElementsOf(
              LongStream.rangeClosed(1, 20).mapToObj(KvEventPublisherTest::stored).toList());
      long middle = all.get(all.size() / 2).sequence();
      assertThat(replay(publisher, middle).getFirst().sequence()).isEqualTo(middle);
      assertThat(replay(publisher, 1_000_000)).isEmpty();
      assertThat(publisher.stats().replays()).isEqualTo(3);
    }
  }

  @Test
  void replaysOfTheNewerFormatNameTheTopic() {
    KvEventsConfig config = EventConfigs.of("kv@ebb@m", KvEventsFormat.MAP, 100);
    try (KvEventPublisher publisher = KvEventPublisher.start(config)) {
      store(publisher, 7);
      await(publisher, 2);
      List<Message> all = replay(publisher, 0);
      assertThat(all).extracting(Message::topic).containsOnly("kv@ebb@m");
      assertThat(all.stream().flatMap(message -> message.events().stream()))
          .first()
          .isEqualTo("{\"type\":\"AllBlocksCleared\"}");
    }
  }

  @Test
  void theBufferIsBounded() {
    try (KvEventPublisher publisher = start(1_000, 5)) {
      for (int i = 1; i <= 20; i++) {
        store(publisher, i);
        await(publisher, i + 1);
      }
      long last = publisher.stats().batches() - 1;
      assertThat(replay(publisher, 0))
          .extracting(Message::sequence)
          .containsExactlyElementsOf(LongStream.rangeClosed(last - 4, last).boxed().toList());
    }
  }

  @Test
  void aClientThatWantsOneAnswerForEachRequestGetsTheFirstBatch() {
    try (KvEventPublisher publisher = start(1_000, 100)) {
      await(publisher, 1);
      ZMQ.Socket socket = subscriber.socket(SocketType.REQ);
      socket.connect(requireNonNull(publisher.replayEndpoint()));
      socket.send(new byte[8]);
      assertThat(Subscriber.frames(socket)).hasSize(2).first().isEqualTo(new byte[8]);
    }
  }

  @Test
  void wrongRequestsAreIgnored() {
    try (KvEventPublisher publisher = start(1_000, 100)) {
      await(publisher, 1);
      ZMQ.Socket socket = subscriber.socket(SocketType.DEALER);
      socket.connect(requireNonNull(publisher.replayEndpoint()));
      socket.send(new byte[8]);
      socket.send(new byte[0], ZMQ.SNDMORE);
      socket.send(new byte[7]);
      socket.send(new byte[0], ZMQ.SNDMORE);
      socket.send(new byte[8], ZMQ.SNDMORE);
      socket.send(new byte[8]);
      socket.send(new byte[0]);
      assertThat(replay(publisher, 0)).isNotEmpty();
      Awaiting.until(() -> publisher.stats().replays() == 1);
    }
  }

  @Test
  void droppedEventsLeaveOneNumberOut() {
    KvEventQueue queue = new KvEventQueue(4);
    for (int i = 0; i < 10; i++) {
      queue.stored(chunk(i), KeyListener.ONLY_GROUP, null, null);
    }
    assertThat(queue.dropped()).isEqualTo(6);
    List<KvEvent> first = queue.take(100, 0);
    assertThat(first).hasSize(5).last().isInstanceOf(KvEvent.Lost.class);
    queue.cleared();
    assertThat(queue.take(100, 0)).singleElement().isInstanceOf(KvEvent.Cleared.class);
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  void aStormIsPublishedWholeOrWithGaps() {
    try (KvEventPublisher publisher = start(64, 1_000_000)) {
      await(publisher, 1);
      int events = 20_000;
      for (int i = 0; i < events; i++) {
        store(publisher, i);
      }
      Awaiting.until(() -> publisher.stats().events() + publisher.stats().dropped() == events + 1);
      long dropped = publisher.stats().dropped();
      store(publisher, events);
      await(publisher, events + 2 - dropped);
      List<Message> all = replay(publisher, 0);
      assertThat(all.stream().mapToInt(message -> message.events().size()).sum())
          .isEqualTo((int) publisher.stats().events());
      // Each gap is one number long.
      long gaps = all.getLast().sequence() + 1 - all.size();
      assertThat(gaps).isBetween(dropped > 0 ? 1L : 0L, dropped);
      assertThat(all).extracting(Message::sequence).isSorted().doesNotHaveDuplicates();
    }
  }

  @Test
  void aRouterMayListenInstead() {
    ZMQ.Socket socket = subscriber.socket(SocketType.SUB);
    socket.subscribe(new byte[0]);
    socket.bind(EventConfigs.ANY);
    KvEventsConfig config =
        new KvEventsConfig(
            true,
            socket.getLastEndpoint(),
            true,
            null,
            "",
            "CPU",
            KvEventsFormat.MAP,
            10,
            TokenSources.requests(0, 1 << 20));
    try (KvEventPublisher publisher = KvEventPublisher.start(config)) {
      assertThat(publisher.replayEndpoint()).isNull();
      socket.setReceiveTimeOut(100);
      byte[] topic = null;
      for (int i = 0; topic == null; i++) {
        store(publisher, i);
        topic = socket.recv();
      }
      assertThat(topic).isEmpty();
    }
  }

  @Test
  void addressesThatCannotBeUsedAreNamed() {
    try (KvEventPublisher publisher = start(10, 10)) {
      for (boolean replay : new boolean[] {false, true}) {
        String taken = publisher.endpoint();
        KvEventsConfig config =
            EventConfigs.of(
                replay ? EventConfigs.ANY : taken,
                replay ? taken : null,
                "",
                KvEventsFormat.MAP,
                10,
                TokenSources.requests(0, 1 << 20));
        assertThatThrownBy(() -> KvEventPublisher.start(config))
            .isInstanceOf(UserError.class)
            .hasMessageContaining("'" + taken + "'")
            .hasMessageContaining(
                replay ? "ebb.server.kv-events.replay-endpoint" : "ebb.server.kv-events.endpoint");
      }
    }
  }
}
