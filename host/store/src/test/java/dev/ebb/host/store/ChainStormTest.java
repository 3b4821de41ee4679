package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.chain.Links;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.stats.ChainStats;
import dev.ebb.host.testing.Histories;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random commands on many connections, with chains: every value is whole, and every count right.
 */
@Timeout(120)
class ChainStormTest {

  private static final long CAPACITY = 4 << 20;
  private static final int THREADS = 4;
  private static final int CONNECTIONS = 8;
  private static final int CHAINS = 40;
  private static final int LENGTH = 12;

  /** Requests store their chunks front to back. */
  private boolean inOrder;

  /** The system's clock, which a test can advance. */
  private static final class MovableClock implements TimeSource {
    private final AtomicLong past = new AtomicLong();

    @Override
    public long nanos() {
      return SYSTEM.nanos() + past.get();
    }

    @Override
    public long wallMillis() {
      return SYSTEM.wallMillis();
    }
  }

  private static StoreOptions options(ChainKeys chained) {
    return new StoreOptions(
            List.of(new PartitionSpec(PartitionSpec.DEFAULT, null, CAPACITY)),
            Duration.ofMinutes(1),
            0.2,
            11)
        .lookupLease(Duration.ofSeconds(1))
        .chains(chained)
        .respectPriority(true);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void everyCountIsRightAfterEachCommand(int seed) {
    inOrder = seed % 3 == 0;
    TestClock clock = new TestClock();
    Random random = new Random(seed);
    ChainKeys chained = seed % 4 == 0 ? ChainKeys.ALL : ChainKeys.AUTO;
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, options(chained), clock)) {
      if (seed % 2 == 0) {
        switchTo(store, ranked(seed % 4 == 0));
      }
      List<StoreConnection> connections = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        connections.add(store.connect("host" + i % 3));
      }
      Deque<ValueReader> reading = new ArrayDeque<>();
      long mostLinked = 0;
      for (int step = 0; step < Histories.times(500); step++) {
        int by = random.nextInt(CONNECTIONS);
        if (random.nextInt(200) == 0) {
          connections.get(by).close();
          connections.set(by, store.connect("host" + random.nextInt(3)));
        }
        command(store, connections.get(by), reading, random);
        clock.millis += random.nextInt(20) == 0 ? random.nextInt(500) : 0;
        Stores.assertSound(store);
        mostLinked = Math.max(mostLinked, store.stats().chains().linked());
      }
      // The last command may have removed all values.
      assertThat(mostLinked).isPositive();
      assertThat(store.stats().evicted()).isPositive();
      reading.forEach(ValueReader::close);
      end(store, connections, () -> clock.millis += 1_001);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void clientsInParallelReadWhatWasWritten(int seed) throws Exception {
    StoreOptions options =
        options(ChainKeys.AUTO).threaded(new EvictionLimits(0.95, 0.9, Duration.ofSeconds(20)), 64);
    inOrder = seed % 3 == 0;
    MovableClock clock = new MovableClock();
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, options, clock);
        ExecutorService executor = Executors.newFixedThreadPool(THREADS + 1)) {
      List<StoreConnection> connections = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        connections.add(store.connect("host" + i % 3));
      }
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        Random random = new Random(31L * seed + thread);
        List<StoreConnection> own = connections.subList(2 * thread, 2 * thread + 2);
        running.add(
            executor.submit(() -> {
              Deque<ValueReader> reading = new ArrayDeque<>();
              for (int step = 0; step < Histories.times(500); step++) {
                command(store, own.get(random.nextInt(2)), reading, random);
              }
              reading.forEach(ValueReader::close);
            }));
      }
      running.add(
          executor.submit(() -> {
            for (int i = 0; i < 30; i++) {
              switchTo(store, ranked(i % 2 == 0));
              Stores.assertSound(store);
            }
          }));
      for (Future<?> each : running) {
        each.get();
      }
      assertThat(store.stats().chains().linked()).isPositive();
      end(store, connections, () -> clock.past.addAndGet(10_000_000_000L));
    }
  }

  private static void end(ObjectStore store, List<StoreConnection> connections, Runnable idle) {
    connections.forEach(StoreConnection::close);
    idle.run();
    store.sweep(1);
    Stores.assertSound(store);
    for (StorePartition part : store.parts()) {
      part.place.locked(() -> {
        assertThat(part.cache.lastFault()).isNull();
        Stores.assertPolicySize(part);
        part.values.each(
            0, part.values.slots(), value -> assertThat(Links.request(value)).isNull());
      });
    }
    store.clear();
    Stores.assertSound(store);
    Stores.assertEmpty(store);
    assertThat(store.pins()).isEmpty();
    assertThat(store.stats().leases().held()).isZero();
    ChainStats stats = store.stats().chains();
    assertThat(stats.linked()).isZero();
    assertThat(stats.unreachable()).isZero();
  }

  private void command(
      ObjectStore store, StoreConnection by, Deque<ValueReader> reading, Random random) {
    int chain = random.nextInt(CHAINS);
    int at = random.nextInt(LENGTH);
    int rank = rank(chain, random);
    String one = key(chain, rank, at);
    switch (random.nextInt(24)) {
      case 0, 1, 2, 3, 4, 5 -> request(by, chain, rank, 1 + random.nextInt(LENGTH), random);
      case 6, 7 -> set(by, one, random);
      case 8 -> check(by, one);
      case 9 -> {
        ValueReader reader = by.get(StoreClient.bytes(one + "kv_bytes"));
        if (reader != null) {
          reading.add(reader);
        }
        if (reading.size() > 6) {
          reading.remove().close();
        }
      }
      case 10, 11 -> by.exists(StoreClient.bytes(one + "metadata"));
      case 12 -> store.delete(StoreClient.bytes(one + "kv_bytes"));
      case 13 -> store.expire(StoreClient.bytes(one + "kv_bytes"), 1, any -> true);
      case 14 -> store.sweep(random.nextInt(20));
      case 15 -> store.eviction().entries(random.nextInt(4));
      case 16 -> store.evict(StoreClient.bytes(one + "kv_bytes"));
      case 17 -> {
        if (random.nextInt(3) == 0) {
          try {
            store.pin(StoreClient.bytes(one + "kv_bytes"), "me", Duration.ofMillis(200));
          } catch (RuntimeException full) {
            assertThat(full).hasMessageContaining("pin");
          }
        }
      }
      case 18 -> store.unpin(StoreClient.bytes(one + "kv_bytes"), null);
      case 19 -> {
        if (random.nextInt(200) == 0) {
          store.clear();
        }
      }
      case 20 -> set(by, "plain" + random.nextInt(30), random);
      case 21 -> check(by, "plain" + random.nextInt(30));
      case 22 -> by.match(matched(chain, rank, random));
      default -> {
        StoreClient client = new StoreClient(store);
        client.set(one + "kv_bytes", content(one, random), SetOptions.PLAIN);
      }
    }
  }

  private static List<byte[]> matched(int chain, int rank, Random random) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < random.nextInt(LENGTH); i++) {
      keys.add(StoreClient.bytes(key(chain, rank, i) + "kv_bytes"));
    }
    return keys;
  }

  /** Looks chunks up, front to back, reads those that are found and stores the others. */
  private void request(StoreConnection by, int chain, int rank, int length, Random random) {
    int found = 0;
    while (found < length && by.exists(StoreClient.bytes(key(chain, rank, found) + "metadata"))) {
      found++;
    }
    for (int i = 0; i < found; i++) {
      check(by, key(chain, rank, i));
    }
    List<Integer> rest = new ArrayList<>();
    for (int i = found; i < length; i++) {
      rest.add(inOrder ? rest.size() : random.nextInt(rest.size() + 1), i);
    }
    for (int i : rest) {
      set(by, key(chain, rank, i), random);
      if (random.nextInt(8) == 0) {
        set(by, key(chain, rank, i), random);
      }
    }
  }

  private static String key(int chain, int rank, int at) {
    // Chains share their first chunks.
    return "m@%d@%d@%x@half"
        .formatted(world(chain), rank, 1_000 * (at < 3 ? chain / 4 : chain) + at);
  }

  /** Returns on how many workers the model of a chain runs. */
  private static int world(int chain) {
    return 1 + chain / 4 % 3;
  }

  private static int rank(int chain, Random random) {
    return random.nextInt(world(chain));
  }

  private static void set(StoreConnection by, String key, Random random) {
    boolean early = random.nextInt(10) == 0;
    if (early) {
      write(by, key + "metadata", new byte[28]);
    }
    write(by, key + "kv_bytes", content(key, random));
    if (!early && random.nextInt(10) > 0) {
      write(by, key + "metadata", new byte[28]);
    }
  }

  private static byte[] content(String key, Random random) {
    byte[] content = new byte[1 + random.nextInt(random.nextInt(3) == 0 ? 600 : 40_000)];
    Arrays.fill(content, (byte) key.hashCode());
    return content;
  }

  private static void write(StoreConnection by, String key, byte[] bytes) {
    try (ValueWriter writer = by.write(StoreClient.bytes(key), bytes.length)) {
      writer.write(ByteBuffer.wrap(bytes));
      writer.commit(SetOptions.PLAIN);
    }
  }

  private static void check(StoreConnection by, String key) {
    ValueReader reader = by.get(StoreClient.bytes(key + "kv_bytes"));
    if (reader != null) {
      byte[] content = StoreClient.read(reader);
      byte[] expected = new byte[content.length];
      Arrays.fill(expected, (byte) key.hashCode());
      assertThat(content).isEqualTo(expected);
    }
  }

  private static void switchTo(ObjectStore store, BlockPolicy<?> policy) {
    store.site().prepare(List.of(new PolicyCandidate("ranked", policy))).publish(() -> {});
  }

  /** Evicts the front of chains first, as far as it may, or the least used. */
  private static BlockPolicy<?> ranked(boolean frontFirst) {
    return new RankedBlockPolicy() {
      @Override
      protected double rank(Entry entry) {
        return frontFirst ? entry.depth() : entry.accesses();
      }
    };
  }
}
