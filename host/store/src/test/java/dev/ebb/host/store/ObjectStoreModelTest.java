package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.SetOptions.Condition;
import dev.ebb.host.store.SetOptions.Expiry;
import dev.ebb.host.store.value.ObjectMemory;
import dev.ebb.host.testing.Histories;
import dev.ebb.host.testing.KeepsAll;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random histories against a map: a key has the value put last, or none. */
class ObjectStoreModelTest {

  private static final long CAPACITY = 4 << 20;
  private static final Duration IDLE = Duration.ofSeconds(50);

  private final TestClock clock = new TestClock();

  @SuppressWarnings("ArrayRecordComponent")
  private record Kept(byte[] bytes, long expiresAt) {}

  @SuppressWarnings("ArrayRecordComponent")
  private record Reading(ValueReader reader, byte[] expected) {}

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void anyHistoryServesWhatWasPutLast(long seed) {
    Random random = new Random(seed);
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, StoreOptions.of(CAPACITY, IDLE, seed), clock)) {
      Map<String, Kept> model = new HashMap<>();
      List<Reading> readings = new ArrayList<>();
      List<ValueWriter> halves = new ArrayList<>();
      for (int step = 0; step < Histories.times(1_500); step++) {
        String key = "key" + random.nextInt(200);
        switch (random.nextInt(12)) {
          case 0, 1, 2, 3 -> put(store, model, key, random);
          case 4, 5, 6 -> get(store, model, readings, key, random);
          case 7 -> {
            boolean was = store.delete(bytes(key));
            assertThat(was && model.get(key) == null).isFalse();
            model.remove(key);
          }
          case 8 -> {
            if (!readings.isEmpty()) {
              finish(readings.remove(random.nextInt(readings.size())));
            }
          }
          case 9 -> clock.millis += random.nextInt(200);
          case 10 -> store.sweep(20);
          default -> half(store, halves, key, random);
        }
        if (readings.size() > 6) {
          finish(readings.removeFirst());
        }
        Stores.assertSound(store);
      }
      readings.forEach(ObjectStoreModelTest::finish);
      halves.forEach(ValueWriter::close);
      assertThat(new StoreClient(store).keys()).allMatch(model::containsKey);
      assertThat(store.stats().evicted()).isPositive();
      store.clear();
      Stores.assertEmpty(store);
    }
  }

  @Test
  void whatIsNotUsedExpiresWithoutBeingAskedFor() {
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, StoreOptions.of(CAPACITY, IDLE, 7), clock)) {
      set(store, "idle", new byte[10], SetOptions.PLAIN);
      set(store, "used", new byte[10], SetOptions.PLAIN);
      clock.millis += 40_000;
      read(store, "used");
      clock.millis += 20_000;
      store.sweep(10);
      assertThat(store.stats().keys()).isEqualTo(1);
      assertThat(store.length(bytes("used"))).isEqualTo(10);
      assertThat(store.stats().expired()).isEqualTo(1);
    }
  }

  @Test
  void valuesOfEveryRoughSizeComeBackWhole() {
    try (HostDevice device = new HostDevice();
        ObjectStore store =
            new ObjectStore(device, StoreOptions.of(CAPACITY, Duration.ZERO, 7), clock)) {
      Random random = new Random(3);
      for (int size : new int[] {0, 1, 1023, 1024, 4000, 4093, 4097, 65_533, 65_536, 1_200_000}) {
        byte[] value = new byte[size];
        random.nextBytes(value);
        assertThat(set(store, "k", value, SetOptions.PLAIN).outcome())
            .isEqualTo(SetResult.Outcome.STORED);
        assertThat(read(store, "k")).isEqualTo(value);
      }
    }
  }

  @Test
  void aValueOfWholeBlocksTakesTheseAndNoMore() {
    try (HostDevice device = new HostDevice();
        ObjectStore store =
            new ObjectStore(device, StoreOptions.of(CAPACITY, Duration.ZERO, 7), clock)) {
      for (int i = 0; i < CAPACITY / ObjectMemory.BLOCK_BYTES; i++) {
        set(store, "k" + i, new byte[ObjectMemory.BLOCK_BYTES], SetOptions.PLAIN);
      }
      assertThat(store.stats().keys()).isEqualTo(CAPACITY / ObjectMemory.BLOCK_BYTES);
      assertThat(store.stats().usedBytes()).isEqualTo(CAPACITY);
    }
  }

  @Test
  void whatCannotFitTakesTheOldValueWithIt() {
    try (HostDevice device = new HostDevice();
        ObjectStore store =
            new ObjectStore(device, StoreOptions.of(CAPACITY, Duration.ZERO, 7), clock)) {
      set(store, "k", new byte[10], SetOptions.PLAIN);
      assertThat(set(store, "k", new byte[(int) CAPACITY + 1], SetOptions.PLAIN).outcome())
          .isEqualTo(SetResult.Outcome.NOT_KEPT);
      assertThat(store.get(bytes("k"))).isNull();
      assertThat(store.stats().notAdmitted()).isEqualTo(1);
    }
  }

  @Test
  void aNewValueThatThePolicyRejectsIsNotKept() {
    try (HostDevice device = new HostDevice();
        ObjectStore store =
            new ObjectStore(device, StoreOptions.of(CAPACITY, Duration.ZERO, 7), clock)) {
      store
          .site()
          .prepare(List.of(new PolicyCandidate("keeps-all", new KeepsAll())))
          .publish(() -> {});
      int values = (int) CAPACITY / ObjectMemory.BLOCK_BYTES;
      for (int i = 0; i < values; i++) {
        set(store, "k" + i, new byte[ObjectMemory.BLOCK_BYTES], SetOptions.PLAIN);
      }
      assertThat(set(store, "new", new byte[ObjectMemory.BLOCK_BYTES], SetOptions.PLAIN).outcome())
          .isEqualTo(SetResult.Outcome.NOT_KEPT);
      assertThat(store.get(bytes("new"))).isNull();
      assertThat(store.stats().notAdmitted()).isEqualTo(1);
      assertThat(store.stats().evicted()).isZero();
      assertThat(store.stats().keys()).isEqualTo(values);

      assertThat(set(store, "k0", new byte[ObjectMemory.BLOCK_BYTES], SetOptions.PLAIN).outcome())
          .as("an existing key")
          .isEqualTo(SetResult.Outcome.STORED);
    }
  }

  private void put(ObjectStore store, Map<String, Kept> model, String key, Random random) {
    byte[] value =
        new byte[random.nextInt(4) == 0 ? random.nextInt(700_000) : random.nextInt(6_000)];
    random.nextBytes(value);
    Condition condition =
        List.of(Condition.ALWAYS, Condition.IF_ABSENT, Condition.IF_PRESENT).get(random.nextInt(3));
    boolean ends = random.nextInt(3) == 0;
    long at = ends ? clock.millis + 1 + random.nextInt(5_000) : ObjectStore.NEVER;
    SetResult result =
        set(
            store,
            key,
            value,
            new SetOptions(condition, ends ? Expiry.AT : Expiry.NONE, at, false));
    switch (result.outcome()) {
      case STORED -> model.put(key, new Kept(value, at));
      case NOT_KEPT -> model.remove(key);
      case UNMET -> assertThat(condition).isNotEqualTo(Condition.ALWAYS);
    }
  }

  private void get(
      ObjectStore store,
      Map<String, Kept> model,
      List<Reading> readings,
      String key,
      Random random) {
    ValueReader reader = store.get(bytes(key));
    if (reader == null) {
      return;
    }
    Kept kept = model.get(key);
    assertThat(kept).as(key).isNotNull();
    assertThat(kept.expiresAt()).isGreaterThan(clock.millis);
    Reading reading = new Reading(reader, kept.bytes());
    if (random.nextInt(3) == 0) {
      readings.add(reading);
    } else {
      finish(reading);
    }
  }

  /** A value that is never completed. */
  private static void half(ObjectStore store, List<ValueWriter> halves, String key, Random random) {
    int length = 10 + random.nextInt(300_000);
    ValueWriter writer = store.write(bytes(key), length);
    writer.write(ByteBuffer.wrap(new byte[random.nextInt(length)]));
    halves.add(writer);
    if (halves.size() > 3) {
      halves.removeFirst().close();
    }
  }

  private static SetResult set(ObjectStore store, String key, byte[] value, SetOptions options) {
    return new StoreClient(store).set(key, value, options);
  }

  private static byte[] read(ObjectStore store, String key) {
    return StoreClient.read(Objects.requireNonNull(store.get(bytes(key))));
  }

  private static void finish(Reading reading) {
    assertThat(Arrays.equals(StoreClient.read(reading.reader()), reading.expected())).isTrue();
  }

  private static byte[] bytes(String key) {
    return StoreClient.bytes(key);
  }
}
