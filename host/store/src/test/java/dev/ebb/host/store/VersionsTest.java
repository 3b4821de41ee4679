package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.device.Device;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.device.Slab;
import dev.ebb.host.store.SetOptions.Condition;
import dev.ebb.host.store.SetOptions.Expiry;
import dev.ebb.host.store.SetResult.Outcome;
import dev.ebb.host.store.stats.StoreStats;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What transfers between nodes need of a store. */
class VersionsTest {

  private static final String MAIN = "m@1@0@abc@halfkv_bytes";
  private static final String METADATA = "m@1@0@abc@halfmetadata";

  private final HostDevice device = new HostDevice();
  private final ObjectStore store =
      new ObjectStore(device, StoreOptions.of(8 << 20, Duration.ZERO, 1), new TestClock());
  private final StoreClient client = new StoreClient(store);
  private final AtomicLong versions = new AtomicLong(100);

  @AfterEach
  void nothingIsLeft() {
    Stores.close(store);
    device.close();
  }

  private static SetOptions at(long version) {
    return new SetOptions(Condition.ALWAYS, Expiry.NONE, 0, false, version);
  }

  private long version(String key) {
    try (ValueReader reader = store.open(StoreClient.bytes(key))) {
      return reader == null ? -1 : reader.version();
    }
  }

  @Test
  void withoutACounterVersionsAreZero() {
    client.set("k", 10);
    assertThat(version("k")).isZero();
  }

  @Test
  void aCopyIsRestoredOnlyIfItIsValidAndThereIsNoValue() {
    assertThat(restore(false)).as("outdated meanwhile").isEqualTo(-1);
    assertThat(version("k")).isEqualTo(-1);
    assertThat(restore(true)).isEqualTo(7);
    assertThat(version("k")).isEqualTo(7);

    client.set("k", new byte[1], at(5_000));
    assertThat(restore(true)).as("the value of a client takes precedence").isEqualTo(5_000);
    assertThat(version("k")).isEqualTo(5_000);
  }

  /** Restores a copy of version 7; returns the version of what is read, -1 for nothing. */
  private long restore(boolean valid) {
    try (ValueWriter writer = store.write(StoreClient.bytes("k"), 10)) {
      assertThat(writer.allocate()).isTrue();
      writer.write(0, ByteBuffer.allocate(10));
      writer.filled();
      try (ValueReader reader = writer.restore(7, ObjectStore.NEVER, () -> valid)) {
        return reader == null ? -1 : reader.version();
      }
    }
  }

  @Test
  void eachCommitTakesTheNextVersion() {
    store.versions(versions::incrementAndGet);
    client.set("k", 10);
    assertThat(version("k")).isEqualTo(101);
    client.set("k", new byte[1], new SetOptions(Condition.IF_ABSENT, Expiry.NONE, 0, false));
    assertThat(version("k")).isEqualTo(101);
    client.set("k", 10);
    assertThat(version("k")).isEqualTo(102);
  }

  @ParameterizedTest
  @CsvSource({"4, UNMET, 5, 1", "5, UNMET, 5, 1", "6, STORED, 6, 2"})
  void aValueWithAVersionReplacesOnlyAnOlderOne(
      long version, Outcome outcome, long kept, int length) {
    assertThat(client.set("k", new byte[1], at(5)).outcome()).isEqualTo(Outcome.STORED);
    assertThat(client.set("k", new byte[2], at(version)).outcome()).isEqualTo(outcome);
    assertThat(version("k")).isEqualTo(kept);
    assertThat(client.get("k")).hasSize(length);
  }

  @Test
  void aNegativeVersionIsRefused() {
    assertThatThrownBy(() -> at(-3)).hasMessageContaining("'-3'");
  }

  @Test
  void aValueIsRemovedUpToAVersion() {
    client.set("k", new byte[1], at(5));
    byte[] key = StoreClient.bytes("k");
    assertThat(store.deleteUpTo(key, 4)).isFalse();
    assertThat(client.has("k")).isTrue();
    assertThat(store.deleteUpTo(key, 5)).isTrue();
    assertThat(client.has("k")).isFalse();
    assertThat(store.deleteUpTo(key, 5)).isFalse();
  }

  @Test
  void theMetadataOfAChunkIsRemovedWithItsBytes() {
    client.set(MAIN, 10);
    client.set(METADATA, 10);
    assertThat(store.deleteUpTo(StoreClient.bytes(MAIN), 0)).isTrue();
    assertThat(client.has(METADATA)).isFalse();
  }

  @Test
  void aReadOfAnotherNodeIsAUse() {
    for (int i = 0; i < 7; i++) {
      client.set("k" + i, 1 << 20);
    }
    requireNonNull(store.open(StoreClient.bytes("k0"), true)).close();
    requireNonNull(store.open(StoreClient.bytes("k1"))).close();
    long hits = store.stats().hits();

    client.set("k7", 2 << 20);

    assertThat(client.has("k0")).isTrue();
    assertThat(client.has("k1")).isFalse();
    assertThat(store.stats().hits()).isEqualTo(hits);
  }

  @Test
  void aTransferReadsAValueWithItsMetadataAndCountsAsNothing() {
    store.versions(versions::incrementAndGet);
    byte[] metadata = {1, 2, 3};
    long end = new TestClock().wallMillis() + 60_000;
    client.set(METADATA, metadata, SetOptions.PLAIN);
    client.set(MAIN, new byte[7], new SetOptions(Condition.ALWAYS, Expiry.AT, end, false));
    StoreStats before = store.stats();

    ValueReader reader = requireNonNull(store.open(StoreClient.bytes(MAIN)));
    store.delete(StoreClient.bytes(METADATA));
    assertThat(reader.attachment()).isEqualTo(metadata);
    assertThat(reader.version()).isEqualTo(102);
    assertThat(reader.expiresAt()).isEqualTo(end);
    assertThat(StoreClient.read(reader)).hasSize(7);
    assertThat(store.open(StoreClient.bytes("missing"))).isNull();

    StoreStats after = store.stats();
    assertThat(after.hits()).isEqualTo(before.hits());
    assertThat(after.misses()).isEqualTo(before.misses());
    assertThat(after.handingOut().count()).isEqualTo(before.handingOut().count());
    assertThat(after.reading()).isZero();
  }

  @Test
  void metadataThatBecomesAValueOfItsOwnKeepsItsVersion() {
    store.versions(versions::incrementAndGet);
    client.set(MAIN, 10);
    client.set(METADATA, 10);
    store.delete(StoreClient.bytes(MAIN));
    assertThat(version(METADATA)).isEqualTo(102);
    client.set(MAIN, 10);
    assertThat(version(METADATA)).isEqualTo(102);
  }

  /** A slot of the arena, an attachment, and blocks that do not lie side by side. */
  @ParameterizedTest
  @ValueSource(ints = {1, 200, 5_000, 65_536, 1_000_001})
  void aValueIsWrittenInAnyOrder(int length) {
    Random random = new Random(length);
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    for (int i = 0; i < 100; i++) {
      client.set("hole" + i, 65_000);
    }
    for (int i = 0; i < 100; i += 2) {
      store.delete(StoreClient.bytes("hole" + i));
    }
    String key = length == 200 ? METADATA : "k";
    try (ValueWriter writer = store.write(StoreClient.bytes(key), length)) {
      assertThat(writer.allocate()).isTrue();
      List<Integer> starts = new ArrayList<>();
      for (int at = 0; at < length; at += 70_001) {
        starts.add(at);
      }
      Collections.shuffle(starts, random);
      for (int start : starts) {
        int end = Math.min(length, start + 70_001);
        if (random.nextBoolean()) {
          writer.write(start, ByteBuffer.wrap(bytes, start, end - start));
        } else {
          for (int at = start; at < end; ) {
            ByteBuffer place = requireNonNull(writer.place(at, end - at));
            int count = place.remaining();
            assertThat(count).isBetween(1, end - at);
            place.put(bytes, at, count);
            at += count;
          }
        }
      }
      assertThatThrownBy(() -> writer.commit(SetOptions.PLAIN)).hasMessageContaining("missing");
      writer.filled();
      assertThat(writer.commit(at(9)).outcome()).isEqualTo(Outcome.STORED);
    }
    assertThat(client.get(key)).isEqualTo(bytes);
    assertThat(version(key)).isEqualTo(9);
  }

  /** As on a GPU: bytes are copied. */
  @Test
  void memoryThatTheJvmCannotReachIsWrittenInAnyOrder() {
    byte[] bytes = new byte[300_000];
    new Random(3).nextBytes(bytes);
    try (HostDevice host = new HostDevice();
        ObjectStore far =
            new ObjectStore(
                unreachable(host), StoreOptions.of(8 << 20, Duration.ZERO, 1), new TestClock())) {
      try (ValueWriter writer = far.write(StoreClient.bytes("k"), bytes.length)) {
        assertThat(writer.allocate()).isTrue();
        assertThat(writer.place(100_000, 10)).isNull();
        writer.write(100_000, ByteBuffer.wrap(bytes, 100_000, 200_000));
        writer.write(0, ByteBuffer.wrap(bytes, 0, 100_000));
        writer.filled();
        assertThat(writer.commit(at(3)).outcome()).isEqualTo(Outcome.STORED);
      }
      assertThat(new StoreClient(far).get("k")).isEqualTo(bytes);
      Stores.assertSound(far);
    }
  }

  private static Device unreachable(HostDevice host) {
    return with(
        Device.class,
        host,
        Map.of(
            "reserve",
            reserved -> with(Slab.class, reserved, Map.of("segment", _ -> Optional.empty()))));
  }

  /** Changes the results of some methods. */
  private static <T> T with(
      Class<T> type, Object original, Map<String, UnaryOperator<Object>> results) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) ->
                results
                    .getOrDefault(method.getName(), UnaryOperator.identity())
                    .apply(method.invoke(original, arguments))));
  }

  @Test
  void onlyAllocatedMemoryIsWrittenInAnyOrder() {
    try (ValueWriter writer = store.write(StoreClient.bytes("k"), 100_000)) {
      ByteBuffer source = ByteBuffer.allocate(1);
      assertThatThrownBy(() -> writer.write(70_000, source))
          .isInstanceOf(IllegalStateException.class);
      assertThat(writer.allocate()).isTrue();
      assertThatThrownBy(() -> writer.write(100_000, source))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void withoutRoomNothingIsAllocated() {
    try (ValueWriter writer = store.write(StoreClient.bytes("k"), 9 << 20)) {
      assertThat(writer.allocate()).isFalse();
      assertThatThrownBy(() -> writer.place(0, 1)).isInstanceOf(IllegalStateException.class);
    }
    assertThat(store.stats().usedBytes()).isZero();
  }
}
