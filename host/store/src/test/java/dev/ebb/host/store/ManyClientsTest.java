package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.store.key.UseStats;
import dev.ebb.host.testing.Histories;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many clients and an operator concurrently: no value is mixed up, and the counters add up. */
class ManyClientsTest {

  private static final int CLIENTS = 4;
  private static final int STEPS = Histories.times(1_500);
  private static final long PART = 4 << 20;

  @ParameterizedTest(name = "policy on a thread of its own: {0}")
  @ValueSource(booleans = {false, true})
  void manyClientsAndAnOperatorConcurrently(boolean threaded) throws Exception {
    StoreOptions inline =
        new StoreOptions(
            List.of(
                new PartitionSpec("default", null, PART), new PartitionSpec("ann", "ann", PART)),
            Duration.ofHours(1),
            0.3,
            5);
    StoreOptions options =
        threaded
            ? inline.threaded(new EvictionLimits(0.9, 0.85, Duration.ofMillis(50)), 1_024)
            : inline;
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, options, TimeSource.SYSTEM)) {
      try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS + 1)) {
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
          Random random = new Random(i);
          running.add(threads.submit(() -> client(store, random)));
        }
        running.add(threads.submit(() -> operator(store, new Random(99))));
        for (Future<?> each : running) {
          each.get();
        }
      }
      Stores.assertSound(store);
      assertThat(store.stats().evicted()).isPositive();
      assertThat(store.stats().reading()).isZero();
      long used = store.tenants().stream().mapToLong(UseStats::usedBytes).sum();
      assertThat(used).isLessThanOrEqualTo(store.stats().usedBytes());
      store.clear();
      Stores.assertEmpty(store);
    }
  }

  private static void client(ObjectStore store, Random random) {
    for (int step = 0; step < STEPS; step++) {
      byte[] key = StoreClient.bytes(key(random));
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3 -> put(store, key, random);
        case 4, 5, 6 -> check(store.get(key));
        case 7 -> store.exists(key);
        case 8 -> store.delete(key);
        default -> {
          ValueWriter half = store.write(key, 100_000);
          half.write(ByteBuffer.wrap(new byte[random.nextInt(100_000)]));
          half.close();
        }
      }
    }
  }

  /** Every byte of a value is the same, so that a mixed one is seen. */
  private static void put(ObjectStore store, byte[] key, Random random) {
    byte[] value = new byte[random.nextInt(3) == 0 ? 28 : random.nextInt(200_000)];
    Arrays.fill(value, (byte) random.nextInt());
    boolean ends = random.nextInt(10) == 0;
    SetOptions options =
        new SetOptions(
            SetOptions.Condition.ALWAYS,
            ends ? SetOptions.Expiry.AT : SetOptions.Expiry.NONE,
            System.currentTimeMillis() + 5,
            false);
    try (ValueWriter writer = store.write(key, value.length)) {
      writer.write(ByteBuffer.wrap(value));
      assertThat(writer.commit(options).outcome())
          .isIn(SetResult.Outcome.STORED, SetResult.Outcome.NOT_KEPT);
    }
  }

  private static void check(@Nullable ValueReader reader) {
    if (reader != null) {
      byte[] value = StoreClient.read(reader);
      byte[] expected = new byte[value.length];
      Arrays.fill(expected, value.length == 0 ? 0 : value[0]);
      assertThat(Arrays.equals(value, expected)).isTrue();
    }
  }

  private static void operator(ObjectStore store, Random random) {
    for (int step = 0; step < STEPS; step++) {
      byte[] key = StoreClient.bytes(key(random));
      switch (random.nextInt(9)) {
        case 0, 1 -> {
          try {
            store.pin(key, "op", Duration.ofMillis(random.nextInt(20)));
          } catch (UserError full) {
            assertThat(full).hasMessageContaining("the pin budget");
          }
        }
        case 2 -> store.unpin(key, null);
        case 3 -> store.eviction().bytes(random.nextInt(500_000));
        case 4 -> store.evict(key);
        case 5 -> store.sweep(100);
        case 6 -> store.scan(0, 50, any -> true);
        case 7 -> store.find(key);
        default -> {
          Stores.assertSound(store);
          if (random.nextInt(50) == 0) {
            store.clear();
          }
        }
      }
    }
  }

  private static String key(Random random) {
    String tenant = List.of("", "ann", "bob").get(random.nextInt(3));
    String stem = "llama@0@1@" + random.nextInt(20) + "@" + tenant;
    return stem + List.of("metadata", "kv_bytes", "").get(random.nextInt(3));
  }
}
