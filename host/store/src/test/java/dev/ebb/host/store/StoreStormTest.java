package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cache.stats.EvictionRecord;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.testing.DelegatingPolicy;
import dev.ebb.host.testing.Histories;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many clients of a store whose policy runs on its own thread. */
@Timeout(120)
class StoreStormTest {

  private static final long CAPACITY = 8 << 20;
  private static final int THREADS = 4;
  private static final int STEPS = Histories.times(800);

  @ParameterizedTest(name = "threshold {0}")
  @ValueSource(doubles = {0.9, 1})
  void everyPutIsKeptAndEveryReadIsWhole(double threshold) throws Exception {
    try (HostDevice device = new HostDevice();
        ObjectStore store = store(device, threshold, Duration.ofSeconds(20))) {
      install(store, "ranked", ranked());

      blow(store);

      StoreStats stats = store.stats();
      assertThat(stats.notAdmitted()).isZero();
      assertThat(store.site().policy()).isEqualTo("ranked");
      assertThat(stats.evicted()).isPositive();
      assertThat(store.site().evictionLog().written()).isEqualTo(stats.evicted());
      EvictionRecord last = store.site().evictionLog().since(0).getLast();
      assertThat(last.name()).startsWith("key");
      assertThat(last.policy()).isEqualTo("ranked");
      store.clear();
      assertThat(store.stats().usedBytes()).isZero();
    }
  }

  @Test
  void aPolicyThatHangsCostsNoClientItsValue() throws Exception {
    AtomicBoolean hangs = new AtomicBoolean();
    AtomicBoolean over = new AtomicBoolean();
    try (HostDevice device = new HostDevice();
        ObjectStore store = store(device, 0.9, Duration.ofMillis(50));
        AutoCloseable _ = () -> over.set(true)) {
      install(store, "hanging", new Hanging(hangs, over));
      new StoreClient(store).set("key0", 10);
      hangs.set(true);

      blow(store);

      assertThat(store.site().policy()).isEqualTo("builtin-lru");
      assertThat(store.stats().notAdmitted()).isZero();
      assertThat(store.partitions().getFirst().cache().thread().abandonedAlive()).isEqualTo(1);
    }
  }

  private static ObjectStore store(HostDevice device, double threshold, Duration deadline) {
    StoreOptions options =
        StoreOptions.of(CAPACITY, Duration.ZERO, 7)
            .threaded(new EvictionLimits(threshold, threshold - 0.05, deadline), 100)
            .respectPriority(true);
    return new ObjectStore(device, options, TimeSource.SYSTEM);
  }

  private static void blow(ObjectStore store) throws Exception {
    try (ExecutorService executor = Executors.newFixedThreadPool(THREADS)) {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        Random random = new Random(thread);
        running.add(executor.submit(() -> client(store, random)));
      }
      for (Future<?> client : running) {
        client.get();
      }
    }
  }

  private static void client(ObjectStore store, Random random) {
    StoreClient client = new StoreClient(store);
    for (int step = 0; step < STEPS; step++) {
      String key = "key" + random.nextInt(400);
      switch (random.nextInt(8)) {
        case 0, 1, 2, 3 ->
            assertThat(client.set(key, content(key, random), SetOptions.PLAIN).outcome())
                .isEqualTo(SetResult.Outcome.STORED);
        case 4 -> store.delete(key.getBytes(StandardCharsets.UTF_8));
        default -> check(key, client.get(key));
      }
      StoreStats stats = store.stats();
      assertThat(stats.usedBytes()).isLessThanOrEqualTo(stats.capacityBytes());
    }
  }

  /** A length, and then the same byte all over. */
  private static byte[] content(String key, Random random) {
    int length = random.nextInt(3) == 0 ? random.nextInt(4_000) : random.nextInt(200_000);
    byte[] content = new byte[length + 1];
    Arrays.fill(content, (byte) key.hashCode());
    return content;
  }

  private static void check(String key, byte @Nullable [] content) {
    if (content != null) {
      byte[] expected = new byte[content.length];
      Arrays.fill(expected, (byte) key.hashCode());
      assertThat(content).isEqualTo(expected);
    }
  }

  private static void install(ObjectStore store, String name, BlockPolicy<?> policy) {
    store.site().prepare(List.of(new PolicyCandidate(name, policy))).publish(() -> {});
  }

  private static BlockPolicy<?> ranked() {
    return new RankedBlockPolicy() {
      @Override
      protected double rank(Entry entry) {
        return entry.accesses();
      }
    };
  }

  /** Never says who leaves. */
  private static final class Hanging extends DelegatingPolicy<Entry> {
    private final AtomicBoolean hangs;
    private final AtomicBoolean over;

    Hanging(AtomicBoolean hangs, AtomicBoolean over) {
      super(new NoEviction());
      this.hangs = hangs;
      this.over = over;
    }

    @Override
    public @Nullable Entry victim(Demand demand) {
      while (hangs.get() && !over.get()) {
        LockSupport.parkNanos(1_000_000);
      }
      return null;
    }
  }
}
