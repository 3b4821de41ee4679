package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.stats.LeaseStats;
import dev.ebb.host.testing.Histories;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a lookup found is there when it is read, for as long as the lease says. */
class LookupLeasesTest {

  private static final long PART = 4 << 20;
  private static final int CHUNK = 60_000;
  private static final int FITTING = 64;
  private static final Duration LEASE = Duration.ofSeconds(5);

  private final TestClock clock = new TestClock();
  private final HostDevice device = new HostDevice();
  private ObjectStore store = new ObjectStore(device, options(), clock);
  private StoreClient client = new StoreClient(store);

  private static StoreOptions options() {
    return new StoreOptions(
            List.of(new PartitionSpec("default", null, PART)), Duration.ofHours(1), 0.25, 7)
        .lookupLease(LEASE);
  }

  @AfterEach
  void close() {
    Stores.assertSound(store);
    store.clear();
    Stores.assertEmpty(store);
    assertThat(store.stats().leases().held()).isZero();
    assertThat(store.stats().leases().heldBytes()).isZero();
    store.close();
    device.close();
  }

  private void fill(String name, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(client.set(name + i, CHUNK).outcome()).isEqualTo(SetResult.Outcome.STORED);
    }
  }

  private boolean found(String key) {
    return store.exists(StoreClient.bytes(key));
  }

  private LeaseStats leases() {
    return store.stats().leases();
  }

  @Test
  void whatALookupFoundIsStillThereWhenItIsRead() {
    fill("old", 3);
    assertThat(found("old0")).isTrue();
    fill("new", 3 * FITTING);

    assertThat(client.has("old1")).isFalse();
    assertThat(client.get("old0")).hasSize(CHUNK);
    assertThat(leases().read()).isEqualTo(1);
    assertThat(leases().held()).isZero();

    fill("newer", 3 * FITTING);
    assertThat(client.has("old0")).isFalse();
  }

  @Test
  void aLeaseThatExpiredHoldsNothing() {
    fill("old", 2);
    assertThat(found("old0")).isTrue();
    assertThat(found("old1")).isTrue();
    clock.millis += LEASE.toMillis() - 1;
    assertThat(found("old1")).isTrue();
    clock.millis += 1;
    store.sweep(1);
    assertThat(leases().expired()).isEqualTo(1);
    assertThat(leases().held()).isEqualTo(1);

    fill("new", 3 * FITTING);

    assertThat(client.has("old0")).isFalse();
    assertThat(client.has("old1")).isTrue();
    clock.millis += LEASE.toMillis();
    fill("newer", 3 * FITTING);
    assertThat(client.has("old1")).isFalse();
    assertThat(leases().expired()).isEqualTo(2);
  }

  @Test
  void leasesTakeABoundedShareAndNewValuesStillFindRoom() {
    fill("old", FITTING);
    int there = 0;
    for (int i = 0; i < FITTING; i++) {
      there += found("old" + i) ? 1 : 0;
    }
    assertThat(leases().held() + leases().refused()).isEqualTo(there);
    assertThat(leases().held()).isBetween(FITTING / 5L, FITTING / 4L);
    assertThat(leases().heldBytes()).isLessThanOrEqualTo(PART / 4);

    fill("new", 3 * FITTING);

    assertThat(client.keys().stream().filter(key -> key.startsWith("old")))
        .hasSize((int) leases().held());
  }

  @Test
  void whatExpiredLeasesHeldIsFreeForTheNext() {
    fill("old", FITTING);
    client.keys().forEach(this::found);
    long refused = leases().refused();
    assertThat(refused).isPositive();
    clock.millis += LEASE.toMillis();

    assertThat(found(client.keys().iterator().next())).isTrue();

    assertThat(leases().refused()).isEqualTo(refused);
    assertThat(leases().held()).isEqualTo(1);
  }

  @Test
  void theBytesOfAChunkAreHeldUntilTheyAreReadNotOnlyItsMetadata() {
    client.set("m@1@0@01@halfkv_bytes", CHUNK);
    client.set("m@1@0@01@halfmetadata", 28);
    assertThat(found("m@1@0@01@halfmetadata")).isTrue();
    assertThat(leases().held()).isEqualTo(1);
    assertThat(client.get("m@1@0@01@halfmetadata")).hasSize(28);

    fill("new", 3 * FITTING);

    assertThat(client.get("m@1@0@01@halfkv_bytes")).hasSize(CHUNK);
    assertThat(leases().held()).isZero();
    fill("newer", 3 * FITTING);
    assertThat(found("m@1@0@01@halfmetadata")).isFalse();
  }

  @Test
  void oneClientsReadDoesNotEndTheLeaseOfAnother() {
    fill("old", 1);
    assertThat(found("old0")).isTrue();
    assertThat(found("old0")).isTrue();
    assertThat(client.get("old0")).hasSize(CHUNK);
    fill("new", 3 * FITTING);

    assertThat(client.get("old0")).hasSize(CHUNK);
    assertThat(leases().held()).isZero();
    assertThat(leases().read()).isEqualTo(1);
  }

  @Test
  void aReplacedValueKeepsItsLease() {
    fill("old", 1);
    assertThat(found("old0")).isTrue();
    fill("old", 1);
    fill("new", 3 * FITTING);

    assertThat(client.get("old0")).hasSize(CHUNK);
    assertThat(leases().held()).isZero();
  }

  @Test
  void aRemovedValueEndsItsLease() {
    fill("key", 3);
    for (int i = 0; i < 3; i++) {
      assertThat(found("key" + i)).isTrue();
    }
    assertThat(store.delete(StoreClient.bytes("key0"))).isTrue();
    store.clear();
    assertThat(leases().removed()).isEqualTo(3);
    assertThat(leases().held()).isZero();
  }

  @Test
  void aChangedDurationCountsForNewLeases() {
    fill("key", 2);
    store.lookupLease(Duration.ZERO);
    assertThat(found("key0")).isTrue();
    assertThat(leases().held()).isZero();
    store.lookupLease(Duration.ofHours(1));
    assertThat(found("key1")).isTrue();
    clock.millis += LEASE.toMillis() * 2;
    fill("new", 3 * FITTING);
    assertThat(client.has("key0")).isFalse();
    assertThat(client.has("key1")).isTrue();

    store.lookupLease(LEASE);
    assertThat(leases().held()).isZero();
    fill("newer", 3 * FITTING);
    assertThat(client.has("key1")).isFalse();
  }

  /** Compares with a map of what must be there, on a policy's own thread too. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void noLeasedValueIsEverMissed(int seed) {
    if (seed > 3) {
      store.close();
      store =
          new ObjectStore(
              device,
              options().threaded(new EvictionLimits(0.95, 0.91, Duration.ofSeconds(5)), 64),
              clock);
      client = new StoreClient(store);
    }
    Random random = new Random(seed);
    Map<String, Long> leased = new HashMap<>();
    Map<String, Integer> lookups = new HashMap<>();
    for (int step = 0; step < Histories.times(1_500); step++) {
      String key = "key" + random.nextInt(150);
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> {
          long refused = leases().refused();
          boolean stored =
              client.set(key, random.nextInt(3) == 0 ? 500 : CHUNK).outcome()
                  == SetResult.Outcome.STORED;
          if (!stored || leases().refused() > refused) {
            leased.remove(key);
          } else if (leased.containsKey(key)) {
            leased.put(key, clock.millis + LEASE.toMillis());
          }
        }
        case 3, 4 -> {
          long refused = leases().refused();
          boolean there = found(key);
          if (there && leases().refused() == refused) {
            lookups.put(key, leased.containsKey(key) ? lookups.getOrDefault(key, 0) + 1 : 1);
            leased.put(key, clock.millis + LEASE.toMillis());
          }
          assertThat(there || !leased.containsKey(key)).as("step %d", step).isTrue();
        }
        case 5 -> {
          boolean read = client.get(key) != null;
          assertThat(read || !leased.containsKey(key)).as("step %d", step).isTrue();
          if (leased.containsKey(key) && lookups.merge(key, -1, Integer::sum) == 0) {
            leased.remove(key);
          }
        }
        case 6 -> {
          store.delete(StoreClient.bytes(key));
          leased.remove(key);
        }
        default -> clock.millis += random.nextInt(400);
      }
      leased.values().removeIf(end -> end <= clock.millis);
      if (step % 50 == 0) {
        assertThat(leased.keySet()).allMatch(client::has);
        assertThat(leases().heldBytes()).isLessThanOrEqualTo(PART / 4);
      }
    }
    LeaseStats stats = leases();
    assertThat(List.of(stats.read(), stats.removed(), stats.expired(), stats.refused()))
        .allMatch(count -> count > 0);
  }
}
