package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.store.chain.Links;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.key.KeyListener;
import dev.ebb.host.store.stats.ChainStats;
import dev.ebb.host.store.value.StoredValue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the store learns about a prompt some of whose chunks are on other nodes. */
class RemoteChainsTest {

  /** The chunks of a prompt: 0 to 2 are here, 3 and 4 elsewhere, 5 here, 6 to 8 nowhere. */
  private static final List<byte[]> PROMPT =
      IntStream.range(0, 9)
          .mapToObj(i -> StoreClient.bytes("m@1@0@%x@half@".formatted(i)))
          .toList();

  private static final BitSet ELSEWHERE = BitSet.valueOf(new long[] {0b11000});

  private final HostDevice device = new HostDevice();
  private final ObjectStore store =
      new ObjectStore(device, Stores.twoParts(4 << 20).chains(ChainKeys.AUTO), new TestClock());
  private final StoreConnection client = store.connect("a");

  @BeforeEach
  void theFrontIsHere() {
    try (StoreConnection first = store.connect("b")) {
      assertThat(first.match(PROMPT.subList(0, 3))).isZero();
      PROMPT.subList(0, 3).forEach(key -> write(first.write(key, 2_000)));
      assertThat(first.match(PROMPT.subList(0, 3))).isEqualTo(3);
    }
    write(store.write(PROMPT.get(5), 2_000));
  }

  @AfterEach
  void close() {
    client.close();
    Stores.close(store);
    device.close();
  }

  private static void write(ValueWriter writer) {
    try (writer) {
      writer.write(ByteBuffer.allocate(2_000));
      assertThat(writer.commit(SetOptions.PLAIN).outcome()).isEqualTo(SetResult.Outcome.STORED);
    }
  }

  /** Reads what is here, and stores what is nowhere, as an engine does. */
  private void serve() {
    for (byte[] key : PROMPT.subList(0, 6)) {
      ValueReader reader = client.get(key);
      if (reader != null) {
        reader.close();
      }
    }
    PROMPT.subList(6, 9).forEach(key -> write(client.write(key, 2_000)));
  }

  private StoredValue value(int index) {
    StoredValue[] found = new StoredValue[1];
    StorePartition part = store.parts().getFirst();
    part.values.each(
        0,
        part.values.slots(),
        value -> {
          if (Arrays.equals(value.key.bytes(), PROMPT.get(index))) {
            found[0] = value;
          }
        });
    return requireNonNull(found[0], "chunk " + index);
  }

  private @Nullable StoredValue parent(int index) {
    return Links.parent(value(index));
  }

  /**
   * Asserts that some of the stored chunks follow each other, and all of them once the chunks of
   * the other nodes are here too.
   */
  private void assertLinked(int last) {
    for (int i = 6; i <= last; i++) {
      assertThat(parent(i)).as("chunk " + i).isSameAs(value(i - 1));
    }
    Stores.assertSound(store);
    write(store.write(PROMPT.get(4), 2_000));
    write(store.write(PROMPT.get(3), 2_000));
    assertThat(parent(4)).isSameAs(value(3));
    assertThat(parent(3)).isSameAs(value(2));
    try (StoreConnection again = store.connect("c")) {
      assertThat(again.match(PROMPT)).isEqualTo(9);
    }
    for (int i = 1; i < 9; i++) {
      assertThat(parent(i)).as("chunk " + i).isSameAs(value(i - 1));
    }
    Stores.assertSound(store);
  }

  private void assertCounted(ChainStats before, long lookups) {
    ChainStats after = store.stats().chains();
    assertThat(after.requests() - before.requests()).isOne();
    assertThat(after.hits() - before.hits()).isEqualTo(6);
    assertThat(after.hitsElsewhere() - before.hitsElsewhere()).isEqualTo(3);
    assertThat(after.lookups() - before.lookups()).isEqualTo(lookups);
  }

  @Test
  void lookupsGoOnAfterAChunkOfAnotherNode() {
    ChainStats before = store.stats().chains();
    long misses = store.stats().misses();
    int found = 0;
    for (int i = 0; i < 7; i++) {
      found += client.exists(List.of(PROMPT.get(i)), ELSEWHERE.get(i, i + 1));
    }
    assertThat(found).isEqualTo(6);
    assertThat(store.stats().misses()).isEqualTo(misses);
    serve();
    client.close();
    assertCounted(before, 9);
    assertThat(Links.request(value(6))).isNull();
    assertLinked(6);
  }

  @Test
  void aMatchGoesOnAfterAChunkOfAnotherNode() {
    ChainStats before = store.stats().chains();
    long misses = store.stats().misses();
    assertThat(client.match(PROMPT, ELSEWHERE)).isEqualTo(6);
    assertThat(store.stats().misses() - misses).isOne();
    serve();
    client.close();
    assertCounted(before, 9);
    assertLinked(6);
  }

  @Test
  void aStatedRequestLinksAllThatItStores() {
    ChainStats before = store.stats().chains();
    assertThat(client.begin("r", null, RequestFacts.UNKNOWN, -1, PROMPT, ELSEWHERE)).isEqualTo(6);
    serve();
    assertThat(client.end("r", -1)).isTrue();
    assertCounted(before, 9);
    assertLinked(8);
  }

  /** It was reported as removed when it was evicted to the disk. */
  @Test
  void aValueThatIsReadFromTheDiskForAStatedRequestIsReported() {
    List<String> stored = new ArrayList<>();
    store.keyListener(
        new KeyListener() {
          @Override
          public void stored(
              byte[] key, int group, @Nullable ObjectGroup kind, byte @Nullable [] parent) {
            stored.add(new String(key, StandardCharsets.UTF_8));
          }
        });
    assertThat(client.begin("r", null, RequestFacts.UNKNOWN, -1, PROMPT, ELSEWHERE)).isEqualTo(6);
    try (ValueWriter writer = store.write(PROMPT.get(3), 2_000)) {
      assertThat(writer.allocate()).isTrue();
      writer.write(0, ByteBuffer.allocate(2_000));
      writer.filled();
      requireNonNull(writer.restore(0, ObjectStore.NEVER, () -> true)).close();
    }
    assertThat(client.end("r", -1)).isTrue();
    assertThat(stored).containsExactly("m@1@0@3@half@");
    assertThat(parent(3)).isSameAs(value(2));
    Stores.assertSound(store);
  }

  @Test
  void missingKeysAreThoseToAskFor() {
    byte[] metadata = StoreClient.bytes("m@1@0@a@halfmetadata");
    byte[] main = StoreClient.bytes("m@1@0@a@halfkv_bytes");
    try (ValueWriter writer = store.write(metadata, 2)) {
      writer.write(ByteBuffer.allocate(2));
      writer.commit(SetOptions.PLAIN);
    }
    assertThat(store.missing(List.of(PROMPT.get(0), PROMPT.get(3), metadata, main)))
        .isEqualTo(BitSet.valueOf(new long[] {0b1110}));
    assertThat(store.missing(PROMPT.subList(0, 3)).isEmpty()).isTrue();
  }
}
