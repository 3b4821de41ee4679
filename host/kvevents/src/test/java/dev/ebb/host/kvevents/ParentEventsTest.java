package dev.ebb.host.kvevents;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.config.server.KvEventsFormat;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.kvevents.Subscriber.Message;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.StoreConnection;
import dev.ebb.host.store.StoreOptions;
import dev.ebb.host.store.TimeSource;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.testing.Awaiting;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a router receives about the chunks that clients store. */
class ParentEventsTest {

  private final Subscriber subscriber = new Subscriber();
  private final KvEventPublisher publisher =
      KvEventPublisher.start(
          EventConfigs.of("kv", KvEventsFormat.ARRAY, 1_000), Clock.systemUTC(), 10_000);
  private final HostDevice device = new HostDevice();
  private final ObjectStore store =
      new ObjectStore(
          device,
          StoreOptions.of(8 << 20, Duration.ofHours(1), 1).chains(ChainKeys.AUTO),
          TimeSource.SYSTEM);

  private final StoreConnection client = store.connect("a");

  ParentEventsTest() {
    store.keyListener(publisher.listener());
  }

  @AfterEach
  void close() {
    client.close();
    store.close();
    device.close();
    publisher.close();
    subscriber.close();
  }

  private static byte[] chunk(long hash) {
    return ("m@1@0@" + Long.toHexString(hash) + "@halfkv_bytes").getBytes(StandardCharsets.UTF_8);
  }

  private void begin(String id, long... hashes) {
    List<byte[]> keys = LongStream.of(hashes).mapToObj(ParentEventsTest::chunk).toList();
    client.begin(id, RequestFacts.UNKNOWN, -1, keys);
  }

  private void set(long... hashes) {
    for (long hash : hashes) {
      try (ValueWriter writer = store.connect("b").write(chunk(hash), 1)) {
        writer.write(ByteBuffer.allocate(1));
        writer.commit(SetOptions.PLAIN);
      }
    }
  }

  /** Returns the first events after the start, as hash and parent. */
  private List<String> stored(int count) {
    Awaiting.until(() -> publisher.stats().events() >= count + 1);
    List<String> events = new ArrayList<>();
    for (Message message : subscriber.replay(requireNonNull(publisher.replayEndpoint()), 0)) {
      events.addAll(message.events());
    }
    assertThat(events.getFirst()).contains("AllBlocksCleared");
    return events.stream()
        .skip(1)
        .map(event ->
            event.replaceAll("\\[\"(.).*?[ed]\",\\[(\\d+)],(null|\\d+|\"CPU\").*", "$2 $3"))
        .toList();
  }

  @Test
  void parentsOfAStatedRequestComeFirst() {
    begin("r", 11, 12, 13, 14);
    set(13, 12);
    set(99);
    set(11, 14);
    assertThat(stored(5)).containsExactly("99 null", "11 null", "12 11", "13 12", "14 13");
    // Another prompt goes on from there, and is not stored whole.
    begin("s", 11, 12, 21, 22, 23);
    set(23, 21);
    assertThat(stored(6)).endsWith("14 13", "21 12");
    client.end("s", 5, facts -> facts);
    assertThat(stored(7)).endsWith("21 12", "23 null");
    // Its place is certain now.
    set(22);
    assertThat(stored(8)).endsWith("23 null", "22 21");
  }

  @Test
  void aValueIsReportedBeforeItsRemoval() {
    begin("r", 11, 12, 13);
    set(12, 13);
    assertThat(store.delete(chunk(13))).isTrue();
    assertThat(stored(3)).containsExactly("12 null", "13 12", "13 \"CPU\"");
    set(11);
    assertThat(stored(4)).endsWith("11 null");
  }

  @Test
  void requestsThatShareAFrontWaitForIt() {
    begin("r", 11, 12, 13);
    begin("s", 11, 12, 22, 23);
    set(23, 22, 13);
    set(99);
    assertThat(stored(1)).containsExactly("99 null");
    set(12, 11);
    assertThat(stored(6)).startsWith("99 null", "11 null", "12 11").contains("13 12");
    assertThat(stored(6)).containsSubsequence("12 11", "22 12", "23 22");
  }

  @Test
  void certainLookupsNameTheParent() {
    set(11, 12);
    for (int i = 0; i < 4; i++) {
      client.exists(chunk(11));
      client.exists(chunk(12));
      client.close();
    }
    store.delete(chunk(12));
    set(12);
    assertThat(stored(4)).containsExactly("11 null", "12 null", "12 \"CPU\"", "12 11");
  }
}
