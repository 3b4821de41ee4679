package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.testing.Histories;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The longest resident prefix, compared with one lookup for each key. */
class MatchTest {

  private static final long PART = 4 << 20;
  private static final int CHUNK = 60_000;
  private static final String BYTES = "kv_bytes";
  private static final String METADATA = "metadata";

  private final TestClock clock = new TestClock();
  private final HostDevice device = new HostDevice();
  private final ObjectStore store =
      new ObjectStore(
          device,
          Stores.twoParts("ann", PART, Duration.ofHours(1), 7).lookupLease(Duration.ofSeconds(5)),
          clock);
  private final StoreClient client = new StoreClient(store);

  @AfterEach
  void close() {
    Stores.close(store);
    device.close();
  }

  private int match(List<String> keys) {
    return store.match(
        keys.size(), i -> store.parse(StoreClient.bytes(keys.get(i))), null, ObjectStore.NOWHERE);
  }

  /** Whether a value is there, and for metadata also the bytes of its chunk. */
  private boolean resident(String key) {
    return client.has(key) && (!key.endsWith(METADATA) || client.has(key.replace(METADATA, BYTES)));
  }

  @Test
  void metadataWithoutTheBytesOfTheChunkDoesNotCount() {
    client.set("m@1@0@01@half" + METADATA, 28);
    assertThat(client.has("m@1@0@01@half" + METADATA)).isTrue();
    assertThat(match(List.of("m@1@0@01@half" + METADATA))).isZero();
    client.set("m@1@0@01@half" + BYTES, CHUNK);
    assertThat(match(List.of("m@1@0@01@half" + METADATA, "m@1@0@01@half" + BYTES))).isEqualTo(2);
    assertThat(match(List.of("m@1@0@01@half"))).isZero();
    assertThat(match(List.of())).isZero();
  }

  @Test
  void theFirstMissingKeyIsAMissAndThoseAfterItAreNotLookedUp() {
    client.set("a", CHUNK);
    client.set("c", CHUNK);
    assertThat(match(List.of("a", "b", "c", "d"))).isEqualTo(1);
    assertThat(store.stats().misses()).isEqualTo(1);
    assertThat(store.stats().hits()).isZero();
    assertThat(store.stats().leases().held()).isEqualTo(1);
  }

  @Test
  void whatWasMatchedIsStillThereWhenItIsRead() {
    for (int i = 0; i < 8; i++) {
      client.set("old" + i, CHUNK);
    }
    List<String> keys = List.of("old0", "old1", "old2", "none", "old3");
    assertThat(match(keys)).isEqualTo(3);
    for (int i = 0; i < 200; i++) {
      client.set("new" + i, CHUNK);
    }
    assertThat(client.has("old3")).isFalse();
    keys.subList(0, 3).forEach(key -> assertThat(client.get(key)).hasSize(CHUNK));
    assertThat(store.stats().leases().held()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void countsAsOneLookupAfterTheOtherWould(int seed) {
    Random random = new Random(seed);
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      String tenant = random.nextBoolean() ? "m" : "m#ebb.tenant=ann";
      all.add("plain" + i);
      all.add(tenant + "@1@0@" + i + "@half" + BYTES);
      all.add(tenant + "@1@0@" + i + "@half" + METADATA);
    }
    Predicate<String> here = this::resident;
    for (int step = 0; step < Histories.times(1_000); step++) {
      String key = all.get(random.nextInt(all.size()));
      switch (random.nextInt(6)) {
        case 0 -> store.delete(StoreClient.bytes(key));
        case 1 -> clock.millis += random.nextInt(2_000);
        case 2, 3 -> client.set(key, key.endsWith(METADATA) && random.nextInt(9) > 0 ? 28 : CHUNK);
        default -> {
          List<String> keys = new ArrayList<>();
          List<String> residents = all.stream().filter(here).toList();
          for (int i = random.nextInt(12); i > 0; i--) {
            boolean any = residents.isEmpty() || random.nextInt(6) == 0;
            List<String> from = any ? all : residents;
            keys.add(from.get(random.nextInt(from.size())));
          }
          int expected = (int) keys.stream().takeWhile(here).count();
          long misses = store.stats().misses();
          assertThat(match(keys)).as("seed %d step %d %s", seed, step, keys).isEqualTo(expected);
          assertThat(store.stats().misses() - misses).isEqualTo(expected < keys.size() ? 1 : 0);
        }
      }
    }
  }
}
