package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.device.HostDevice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.store.key.TenantPrefix;
import dev.ebb.host.store.key.UseStats;
import dev.ebb.host.store.lease.Pin;
import dev.ebb.host.store.stats.EvictionResult;
import dev.ebb.host.store.stats.StoreStats;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Full parts of a pool: who stays, who leaves, and what is said of it. */
class TenantsAndPinsTest {

  private static final long PART = 4 << 20;
  private static final int CHUNK = 200_000;

  private final TestClock clock = new TestClock();
  private final HostDevice device = new HostDevice();
  private final ObjectStore store =
      new ObjectStore(device, Stores.twoParts("ann", PART, Duration.ofHours(1), 7), clock);
  private final StoreClient client = new StoreClient(store);

  @AfterEach
  void close() {
    Stores.close(store);
    device.close();
  }

  @Test
  void storingLastsFromTheFirstByteHoweverItCame() {
    for (boolean inPlace : List.of(false, true)) {
      try (ValueWriter writer = store.write(StoreClient.bytes("in place " + inPlace), CHUNK)) {
        if (inPlace) {
          assertThat(writer.place(0)).isNotNull();
          writer.placed(1);
        } else {
          writer.write(ByteBuffer.wrap(new byte[1]));
        }
        clock.millis += 1_000;
        writer.write(ByteBuffer.wrap(new byte[CHUNK - 1]));
        writer.commit(SetOptions.PLAIN);
      }
    }
    assertThat(store.stats().storing().sum()).isEqualTo(2e9);
  }

  @Test
  void keysOfATenantsUsersAreInItsPart() {
    StoreOptions options =
        Stores.twoParts("ann", PART, Duration.ofHours(1), 7)
            .tenantPrefixes(List.of(new TenantPrefix("a:", "ann"), new TenantPrefix("b:", "ben")));
    try (ObjectStore owned = new ObjectStore(device, options, clock)) {
      StoreClient user = new StoreClient(owned);
      for (String key : List.of("a:1", "a:m@0@1@01@ben", "b:1", "b:m@0@1@02@ann", "c", "a")) {
        user.set(key, CHUNK);
        assertThat(user.get(key)).as(key).hasSize(CHUNK);
      }
      assertThat(owned.partitions())
          .extracting(part -> part.name() + " " + part.numbers().keys())
          .containsExactly("default 4", "ann 2");
      assertThat(owned.tenants())
          .extracting(use -> use.name() + " " + use.entries() + " " + use.hits())
          .containsExactly("ann 2 2", "ben 2 2");
      assertThat(user.view("b:m@0@1@02@ann").tenant()).isEqualTo("ben");
      assertThat(user.keys()).hasSize(6);
      owned.clear();
    }
  }

  @Test
  void oneTenantsLoadDoesNotEvictOtherTenants() {
    for (int i = 0; i < 15; i++) {
      chunk("ann", i);
    }
    assertThat(part("ann").evicted()).isZero();
    for (int i = 0; i < 500; i++) {
      chunk("bob", i);
    }
    assertThat(part("default").evicted()).isPositive();
    assertThat(part("ann").evicted()).isZero();
    for (int i = 0; i < 15; i++) {
      assertThat(client.has(key("ann", i) + "kv_bytes")).isTrue();
      assertThat(client.has(key("ann", i) + "metadata")).isTrue();
    }
    assertThat(store.tenants()).extracting(UseStats::name).containsExactly("ann", "bob");
    assertThat(store.tenants().getFirst().entries()).isEqualTo(15);
    assertThat(store.tenants().getLast().evicted()).isEqualTo(part("default").evicted());
    assertThat(store.models()).singleElement().extracting(UseStats::name).isEqualTo("llama");
  }

  @Test
  void aChunksTwoValuesLeaveTogetherAndCountAsOneUse() {
    Random random = new Random(5);
    for (int i = 0; i < 400; i++) {
      chunk("", i);
      int asked = Math.max(0, i - random.nextInt(30));
      assertThat(client.has(key("", asked) + "metadata"))
          .isEqualTo(client.has(key("", asked) + "kv_bytes"));
    }
    chunk("", 1_000);
    long hits = store.stats().hits();
    String key = key("", 1_000);
    assertThat(store.exists(StoreClient.bytes(key + "metadata"))).isTrue();
    assertThat(client.get(key + "metadata")).hasSize(28);
    assertThat(client.get(key + "kv_bytes")).hasSize(CHUNK);
    assertThat(store.stats().hits() - hits).isEqualTo(1);
    assertThat(client.view(key + "metadata").accesses()).isEqualTo(2);
    assertThat(client.view(key + "kv_bytes").attachedBytes()).isEqualTo(28);
    long misses = store.stats().misses();
    assertThat(store.exists(StoreClient.bytes(key("", 0) + "metadata"))).isFalse();
    assertThat(store.stats().misses() - misses).isEqualTo(1);
  }

  @Test
  void whatIsPinnedOutlastsAnyStorm() {
    for (int i = 0; i < 4; i++) {
      chunk("", i);
      assertThat(store.pin(StoreClient.bytes(key("", i) + "metadata"), "op" + i, Duration.ZERO))
          .isTrue();
    }
    for (int i = 100; i < 600; i++) {
      chunk("", i);
    }
    clock.millis += Duration.ofHours(3).toMillis();
    store.sweep(10_000);
    for (int i = 0; i < 4; i++) {
      assertThat(client.get(key("", i) + "kv_bytes")).hasSize(CHUNK);
      assertThat(client.get(key("", i) + "metadata")).hasSize(28);
    }
    assertThat(store.stats().keys()).isEqualTo(8);
    assertThat(store.pins()).extracting(Pin::owner).containsExactly("op0", "op1", "op2", "op3");
  }

  @Test
  void aPinEndsWhenItsTimeIsOver() {
    chunk("", 1);
    byte[] key = StoreClient.bytes(key("", 1) + "kv_bytes");
    assertThat(store.pin(key, "ann", Duration.ofSeconds(10))).isTrue();
    assertThat(store.pin(key, "bob", Duration.ofSeconds(20))).isTrue();
    assertThat(store.evict(key).whyNotMore()).isEqualTo("pinned by [ann, bob]");
    clock.millis += 10_000;
    assertThat(store.pins()).extracting(Pin::owner).containsExactly("bob");
    assertThat(store.evict(key).freedBytes()).isZero();
    clock.millis += 10_000;
    store.sweep(10);
    assertThat(store.stats().pinned()).isZero();
    EvictionResult result = store.evict(key);
    assertThat(result.entries()).isEqualTo(1);
    assertThat(result.freedBytes()).isEqualTo(result.askedBytes()).isPositive();
    assertThat(client.has(key("", 1) + "metadata")).isFalse();
  }

  @Test
  void pinsBeyondTheBudgetAreRefused() {
    for (int i = 0; i < 5; i++) {
      chunk("", i);
    }
    for (int i = 0; i < 4; i++) {
      store.pin(StoreClient.bytes(key("", i) + "kv_bytes"), "op", Duration.ZERO);
    }
    assertThatThrownBy(
            () -> store.pin(StoreClient.bytes(key("", 4) + "kv_bytes"), "op", Duration.ZERO))
        .isInstanceOf(UserError.class)
        .hasMessage(
            "the pin budget of '1 MiB' does not hold '256 KiB' more, '1 MiB' are pinned; unpin"
                + " something, or raise ebb.eviction.pin-budget");
    assertThat(store.pin(StoreClient.bytes("nobody"), "op", Duration.ZERO)).isFalse();
    assertThat(store.unpin(StoreClient.bytes(key("", 0) + "kv_bytes"), "someone")).isFalse();
    assertThat(store.unpin(StoreClient.bytes(key("", 0) + "kv_bytes"), "op")).isTrue();
    assertThat(store.pin(StoreClient.bytes(key("", 4) + "kv_bytes"), "op", Duration.ZERO)).isTrue();
  }

  @Test
  void aClientsWordGoesBeforePins() {
    chunk("", 1);
    String name = key("", 1) + "kv_bytes";
    byte[] key = StoreClient.bytes(name);
    store.pin(key, "op", Duration.ZERO);
    client.set(name, CHUNK);
    assertThat(store.pins()).singleElement().extracting(Pin::owner).isEqualTo("op");
    assertThat(client.get(key("", 1) + "metadata")).hasSize(28);
    assertThat(store.delete(key)).isTrue();
    assertThat(store.pins()).isEmpty();
    assertThat(client.get(key("", 1) + "metadata")).hasSize(28);
    client.set(name, CHUNK);
    assertThat(client.view(name).attachedBytes()).isEqualTo(28);
    assertThat(store.pins()).isEmpty();
  }

  @Test
  void limitsChangeWhileItServes() {
    chunk("", 1);
    chunk("", 2);
    byte[] first = StoreClient.bytes(key("", 1) + "kv_bytes");
    store.pinBudget(0);
    assertThatThrownBy(() -> store.pin(first, "op", Duration.ZERO))
        .hasMessageContaining("the pin budget of '0 B'");
    store.pinBudget(1);
    assertThat(store.pin(first, "op", Duration.ZERO)).isTrue();
    store.idle(Duration.ofSeconds(10));
    clock.millis += 10_000;
    store.sweep(10);
    assertThat(store.stats().keys()).as("the pinned chunk").isEqualTo(2);
    store.unpin(first, null);
    store.idle(Duration.ZERO);
    clock.millis += 1_000_000;
    store.sweep(10);
    assertThat(store.stats().keys()).isEqualTo(2);
    store.idle(Duration.ofSeconds(10));
    store.sweep(10);
    assertThat(store.stats().keys()).isZero();
    assertThat(store.stats().expired()).isEqualTo(2);
  }

  @Test
  void whatWasEvictedAndAskedForAgainIsAPrematureEviction() {
    for (int i = 0; i < 30; i++) {
      chunk("bob", i);
    }
    long evicted = store.stats().evicted();
    clock.millis += 5_000;
    for (int i = 0; i < evicted; i++) {
      assertThat(store.exists(StoreClient.bytes(key("bob", i) + "metadata"))).isFalse();
      assertThat(client.get(key("bob", i) + "kv_bytes")).isNull();
    }
    StoreStats stats = store.stats();
    assertThat(stats.prematureEvictions().count()).isEqualTo(evicted);
    assertThat(stats.prematureEvictions().bytes()).isEqualTo(stats.evictedBytes());
    assertThat(stats.prematureEvictions().gapSeconds()).isEqualTo(5.0 * evicted);
    assertThat(stats.rePrefillRate()).isEqualTo(1);
    assertThat(stats.misses()).isEqualTo(2 * evicted);
    assertThat(stats.bytesWritten()).isEqualTo(30L * (CHUNK + 28));
    assertThat(stats.storing().count()).isEqualTo(60);
    assertThat(UseStats.fairness(store.tenants())).isNaN();
    client.get(key("bob", 29) + "kv_bytes");
    assertThat(store.stats().bytesRead()).isEqualTo(CHUNK);
    assertThat(UseStats.fairness(store.tenants())).isEqualTo(1);
  }

  @Test
  void manualEvictionFreesTheRequestedMemoryOrReportsWhyNot() {
    for (int i = 0; i < 15; i++) {
      chunk("", i);
      chunk("ann", i);
    }
    EvictionResult some = store.eviction().bytes(1_000_000);
    assertThat(some.freedBytes()).isBetween(1_000_000L, 1_300_000L);
    assertThat(some.before() - some.after()).isEqualTo(some.freedBytes());
    assertThat(some.whyNotMore()).isEmpty();
    EvictionResult three = store.eviction().entries(3);
    assertThat(three.entries()).isEqualTo(3);
    EvictionResult half = store.eviction().to(0.5);
    assertThat(half.whyNotMore()).isEmpty();
    store
        .partitions()
        .forEach(part -> assertThat(part.numbers().usedBytes()).isLessThanOrEqualTo(PART / 2));
    List<ValueReader> readers = new ArrayList<>();
    for (int i = 0; i < 15; i++) {
      ValueReader reader = store.get(StoreClient.bytes(key("ann", i) + "kv_bytes"));
      if (reader != null) {
        readers.add(reader);
      }
    }
    EvictionResult all = store.eviction().to(0);
    assertThat(all.after()).isPositive();
    assertThat(all.whyNotMore())
        .isEqualTo(
            "'%d' being read, '0' being written; policy 'builtin-lru' offers nothing more"
                .formatted(readers.size()));
    readers.forEach(ValueReader::close);
    assertThat(store.eviction().to(0).after()).isZero();
  }

  private StoreStats part(String name) {
    return store.partitions().stream()
        .filter(part -> part.name().equals(name))
        .findFirst()
        .orElseThrow()
        .numbers();
  }

  private void chunk(String tenant, int number) {
    client.set(key(tenant, number) + "kv_bytes", CHUNK);
    client.set(key(tenant, number) + "metadata", 28);
  }

  private static String key(String tenant, int number) {
    return "llama@0@1@" + number + "@" + tenant;
  }
}
