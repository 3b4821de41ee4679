package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.stats.PartitionStats;
import dev.ebb.spi.BlockPolicy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a policy that decides on admission reaches in a server, and in a replay. */
class LiveAdmissionTest {

  private static final EvictionLimits LIMITS =
      new EvictionLimits(0.95, 0.91, Duration.ofSeconds(20));

  private enum Shape {
    /** The client states its requests. */
    STATED,
    /** LMCache's in-process mode. */
    UNTIL_FIRST_MISS,
    /** LMCache's multiprocess mode. */
    TILES
  }

  private record Live(double hitRatio, long entries, long questions) {}

  private final TestClock clock = new TestClock();

  @Test
  void objectsHitAsOftenAsInAReplay() {
    List<long[]> trace = zipf(60_000, 10_000);

    Live live = live(trace, 1_000, new TinyLfuPolicy(900), this::object);

    assertThat(live.questions).isPositive();
    double replayed = replayed(trace, live.entries, new TinyLfuPolicy(900));
    assertThat(live.hitRatio).isBetween(replayed - 0.01, replayed + 0.01);
    assertThat(live.hitRatio).isGreaterThan(replayed(trace, live.entries, new BuiltInLru()) + 0.05);
  }

  @ParameterizedTest
  @EnumSource
  void requestsThatAreAsLargeAsTheCacheGainAsMuchAsInAReplay(Shape shape) {
    List<long[]> trace = agents(400);

    Live live = live(trace, 300, new TinyLfuPolicy(280), client(shape));

    assertThat(live.questions).isPositive();
    double lru = replayed(trace, live.entries, new BuiltInLru());
    double replayed = replayed(trace, live.entries, new TinyLfuPolicy(280));
    assertThat(replayed).isGreaterThan(lru + 0.05);
    assertThat(live.hitRatio).isGreaterThan(lru + 0.6 * (replayed - lru));
  }

  /** Serves a request of blocks, and returns how many of them were found. */
  private interface Client {
    int serve(ObjectStore store, StoreConnection connection, long[] request);
  }

  private Live live(List<long[]> trace, int values, BlockPolicy<?> policy, Client client) {
    StoreOptions options =
        StoreOptions.of((long) values << 10, Duration.ofHours(9), 7)
            .threaded(LIMITS, 16)
            .chains(ChainKeys.AUTO)
            .lookupLease(Duration.ofMillis(1));
    try (HostDevice device = new HostDevice();
        ObjectStore store = new ObjectStore(device, options, clock)) {
      store.site().prepare(List.of(new PolicyCandidate("test", policy))).publish(() -> {});
      ResidentKeys follower = new ResidentKeys();
      store.keyListener(follower);
      StoreConnection connection = store.connect("host");
      long hits = 0;
      long blocks = 0;
      for (long[] request : trace) {
        clock.millis += 100;
        hits += client.serve(store, connection, request);
        blocks += request.length;
        store.sweep(1);
        // Gives the policy its time, as clients do that compute before they store.
        store.partitions();
      }
      Stores.assertSound(store);
      assertThat(follower.wrong).isEmpty();
      PartitionStats stats = store.partitions().getFirst();
      long questions = store.site().admission() == null ? 0 : store.site().admission().questions();
      return new Live((double) hits / blocks, stats.cache().entries(), questions);
    }
  }

  private double replayed(List<long[]> trace, long capacity, BlockPolicy<?> policy) {
    try (InlineBlockCache cache =
        new InlineBlockCache(capacity, clock, new GhostWindow(16), OnFault.FAIL)) {
      cache.install("test", policy);
      CacheRequest request = new CacheRequest();
      long hits = 0;
      long blocks = 0;
      for (long[] keys : trace) {
        clock.millis += 100;
        request.reset(RequestFacts.UNKNOWN, -1);
        for (long key : keys) {
          request.add(key);
        }
        hits += cache.begin(request);
        cache.admit(request);
        cache.finish(request);
        blocks += keys.length;
      }
      return (double) hits / blocks;
    }
  }

  private int object(ObjectStore store, StoreConnection connection, long[] request) {
    byte[] key = StoreClient.bytes("object" + request[0]);
    try (ValueReader reader = connection.get(key)) {
      if (reader != null) {
        return 1;
      }
    }
    set(connection, key);
    return 0;
  }

  private Client client(Shape shape) {
    return switch (shape) {
      case STATED -> this::stated;
      case UNTIL_FIRST_MISS -> this::untilFirstMiss;
      case TILES -> {
        List<LmcacheServer> servers = new ArrayList<>();
        yield (store, connection, request) -> {
          if (servers.isEmpty()) {
            servers.add(new LmcacheServer(store, clock, 1, false, 0));
          }
          LmcacheServer server = servers.getFirst();
          long before = server.hits;
          server.serve(names(request, "m@00000000@0@%s"));
          return (int) (server.hits - before);
        };
      }
    };
  }

  private int stated(ObjectStore store, StoreConnection connection, long[] request) {
    List<byte[]> keys = names(request, "chunk%s").stream().map(StoreClient::bytes).toList();
    int found = connection.begin("r", RequestFacts.UNKNOWN, -1, keys);
    int read = read(connection, keys.subList(0, found));
    keys.subList(found, keys.size()).forEach(key -> set(connection, key));
    connection.end("r", 10);
    return read;
  }

  private int untilFirstMiss(ObjectStore store, StoreConnection connection, long[] request) {
    List<byte[]> keys = names(request, "m@1@0@%s@half").stream().map(StoreClient::bytes).toList();
    int found = 0;
    while (found < keys.size() && connection.exists(keys.get(found))) {
      found++;
    }
    int read = read(connection, keys.subList(0, found));
    keys.subList(found, keys.size()).forEach(key -> set(connection, key));
    return read;
  }

  private static List<String> names(long[] request, String format) {
    return IntStream.range(0, request.length)
        .mapToObj(i -> format.formatted(HexFormat.of().toHexDigits(request[i])))
        .toList();
  }

  private static int read(StoreConnection connection, List<byte[]> keys) {
    int read = 0;
    for (byte[] key : keys) {
      try (ValueReader reader = connection.get(key)) {
        if (reader == null) {
          return read;
        }
        read++;
      }
    }
    return read;
  }

  private static void set(StoreConnection connection, byte[] key) {
    try (ValueWriter writer = connection.write(key, 100)) {
      writer.write(ByteBuffer.wrap(new byte[100]));
      writer.commit(SetOptions.PLAIN);
    }
  }

  private static List<long[]> zipf(int requests, int objects) {
    Random random = new Random(3);
    double[] below = new double[objects];
    double sum = 0;
    for (int i = 0; i < objects; i++) {
      sum += 1 / Math.pow(i + 1, 0.9);
      below[i] = sum;
    }
    List<long[]> trace = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      int at = Arrays.binarySearch(below, random.nextDouble() * sum);
      trace.add(new long[] {mixed(at < 0 ? -at - 1 : at)});
    }
    return trace;
  }

  /**
   * Prompts of agents: a few long beginnings that many share, each with a long end of its own that
   * does not return.
   */
  private static List<long[]> agents(int requests) {
    Random random = new Random(5);
    List<long[]> trace = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      int agent = (int) (12 * Math.pow(random.nextDouble(), 2));
      int own = i;
      int length = 100 + random.nextInt(100);
      trace.add(
          IntStream.range(0, length)
              .mapToLong(
                  at -> mixed(at < 40 ? agent * 1_000L + at : 1_000_000L + own * 1_000L + at))
              .toArray());
    }
    return trace;
  }

  private static long mixed(long id) {
    long hash = (id + 1) * 0x9E3779B97F4A7C15L;
    hash = (hash ^ (hash >>> 32)) * 0xC2B2AE3D27D4EB4FL;
    return hash ^ (hash >>> 29);
  }
}
