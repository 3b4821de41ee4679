package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.SetOptions.Condition;
import dev.ebb.host.store.SetOptions.Expiry;
import dev.ebb.host.testing.Histories;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Where there is room for everything, every command answers as a map would, whatever the store
 * makes of the keys: chunks with attachments, tenants with quotas, pins.
 */
class LikeAMapTest {

  private static final long PART = 24 << 20;

  @SuppressWarnings("ArrayRecordComponent")
  private record Kept(byte[] bytes, long expiresAt) {}

  private final TestClock clock = new TestClock();
  private final Map<String, Kept> model = new HashMap<>();

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void everyCommandAnswersAsAMapWould(long seed) {
    Random random = new Random(seed);
    StoreOptions options =
        new StoreOptions(
            List.of(
                new PartitionSpec("default", null, PART), new PartitionSpec("ann", "ann", PART)),
            Duration.ZERO,
            0.5,
            seed);
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, options, clock)) {
      StoreClient client = new StoreClient(store);
      for (int step = 0; step < Histories.times(4_000); step++) {
        String key = key(random);
        model.values().removeIf(kept -> kept.expiresAt <= clock.millis);
        Kept kept = model.get(key);
        switch (random.nextInt(12)) {
          case 0, 1, 2, 3 -> put(client, key, random);
          case 4 -> assertThat(client.get(key)).isEqualTo(kept == null ? null : kept.bytes);
          case 5 -> {
            assertThat(store.delete(StoreClient.bytes(key))).isEqualTo(kept != null);
            model.remove(key);
          }
          case 6 -> expire(store, key, kept, random);
          case 7 -> clock.millis += random.nextInt(300);
          case 8 -> {
            if (kept != null) {
              Duration life = Duration.ofMillis(random.nextInt(2) * 500L);
              assertThat(store.pin(StoreClient.bytes(key), "op", life)).isTrue();
            }
          }
          case 9 -> {
            store.sweep(1_000);
            assertThat(client.keys()).isEqualTo(model.keySet());
            assertThat(store.stats().keys()).isEqualTo(model.size());
            assertThat(store.stats().expiring())
                .isEqualTo(
                    model.values().stream().filter(k -> k.expiresAt != ObjectStore.NEVER).count());
          }
          case 10 -> {
            if (random.nextInt(100) == 0) {
              store.clear();
              model.clear();
            }
          }
          default -> {
            byte[] bytes = StoreClient.bytes(key);
            assertThat(store.exists(bytes)).isEqualTo(kept != null);
            assertThat(store.length(bytes)).isEqualTo(kept == null ? -1 : kept.bytes.length);
            assertThat(store.expiresAt(bytes)).isEqualTo(kept == null ? -1 : kept.expiresAt);
          }
        }
      }
      assertThat(store.stats().evicted()).isZero();
      store.clear();
      assertThat(store.pins()).isEmpty();
      Stores.assertEmpty(store);
    }
  }

  private void put(StoreClient client, String key, Random random) {
    byte[] value = new byte[length(key, random)];
    random.nextBytes(value);
    Condition condition =
        List.of(Condition.ALWAYS, Condition.ALWAYS, Condition.IF_ABSENT, Condition.IF_PRESENT)
            .get(random.nextInt(4));
    Expiry expiry = List.of(Expiry.NONE, Expiry.KEEP, Expiry.AT).get(random.nextInt(3));
    long at = clock.millis + random.nextInt(1_000) - 20;
    SetResult result = client.set(key, value, new SetOptions(condition, expiry, at, true));
    Kept old = model.get(key);
    boolean met =
        switch (condition) {
          case ALWAYS -> true;
          case IF_ABSENT -> old == null;
          case IF_PRESENT -> old != null;
        };
    assertThat(result.outcome())
        .isEqualTo(met ? SetResult.Outcome.STORED : SetResult.Outcome.UNMET);
    assertThat(read(result.old())).isEqualTo(old == null ? null : old.bytes);
    if (met) {
      long ends =
          switch (expiry) {
            case NONE -> ObjectStore.NEVER;
            case KEEP -> old == null ? ObjectStore.NEVER : old.expiresAt;
            case AT -> at;
          };
      model.put(key, new Kept(value, ends));
    }
  }

  private void expire(ObjectStore store, String key, @Nullable Kept kept, Random random) {
    long at = clock.millis + random.nextInt(1_000) - 100;
    boolean later = random.nextBoolean();
    boolean done = store.expire(StoreClient.bytes(key), at, end -> !later || at > end);
    assertThat(done).isEqualTo(kept != null && (!later || at > kept.expiresAt));
    if (done && kept != null) {
      model.put(key, new Kept(kept.bytes, at));
    }
  }

  private static String key(Random random) {
    String tenant = List.of("", "ann", "bob").get(random.nextInt(3));
    String stem = "llama@0@1@" + random.nextInt(6) + "@" + tenant;
    return switch (random.nextInt(5)) {
      case 0 -> "plain" + random.nextInt(10);
      case 1 -> stem;
      case 2, 3 -> stem + "metadata";
      default -> stem + "kv_bytes";
    };
  }

  /** Attachments of the usual size, and values too large to be one. */
  private static int length(String key, Random random) {
    if (key.endsWith("metadata")) {
      return List.of(28, 28, 0, 256, 257, 5_000).get(random.nextInt(6));
    }
    return random.nextInt(8) == 0 ? random.nextInt(300_000) : random.nextInt(6_000);
  }

  private static byte @Nullable [] read(@Nullable ValueReader reader) {
    return reader == null ? null : StoreClient.read(reader);
  }
}
