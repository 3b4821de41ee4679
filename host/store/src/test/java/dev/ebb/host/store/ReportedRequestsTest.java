package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.AccessListener;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.spi.RemovalCause;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What shadow policies and recordings see of the store's traffic. */
class ReportedRequestsTest {

  private static final int CHUNK = 60_000;

  /** In units: a block of the pool. */
  private static final int WEIGHT = 64;

  private final TestClock clock = new TestClock();
  private final HostDevice device = new HostDevice();
  private final ObjectStore store =
      new ObjectStore(
          device,
          StoreOptions.of(64 << 20, Duration.ZERO, 7)
              .chains(ChainKeys.AUTO)
              .lookupLease(Duration.ofSeconds(5)),
          clock);
  private final Log log = new Log();

  /** A report of a request. */
  private record Reported(
      List<Long> keys,
      List<Integer> weights,
      int matched,
      int counted,
      int used,
      long serial,
      RequestFacts facts,
      long outputTokens) {}

  /** Keeps what it receives. */
  private static final class Log implements AccessListener {
    private final List<Reported> requests = new ArrayList<>();
    private final List<String> objects = new ArrayList<>();
    private long accesses;
    private long hits;

    @Override
    public void began(CacheRequest request) {
      requests.add(
          new Reported(
              IntStream.range(0, request.blocks()).mapToObj(request::fingerprint).toList(),
              IntStream.range(0, request.blocks()).mapToObj(request::weight).toList(),
              request.matched(),
              request.counted(),
              request.used(),
              request.serial(),
              request.facts(),
              request.outputTokens()));
      accesses += request.blocks() - request.counted();
      hits += Math.max(0, request.matched() - request.counted());
    }

    @Override
    public void appended(long key, RequestFacts facts) {
      objects.add("appended");
    }

    @Override
    public void hit(long key, int blocks, RequestFacts facts) {
      objects.add("hit");
      accesses++;
      hits++;
    }

    @Override
    public void missed(long key, RequestFacts facts) {
      objects.add("missed");
      accesses++;
    }

    @Override
    public void stored(long key, long blocks, RequestFacts facts) {
      objects.add("stored");
    }

    @Override
    public void reweighed(long key, int blocks) {
      objects.add("reweighed " + blocks);
    }

    @Override
    public void removed(long key, RemovalCause cause) {
      objects.add("removed " + cause);
    }

    @Override
    public void cleared() {
      objects.add("cleared");
    }
  }

  @BeforeEach
  void listen() {
    store.site().places().getFirst().add(log);
  }

  @AfterEach
  void close() {
    Stores.assertSound(store);
    store.close();
    device.close();
  }

  private static byte[] key(int chunk, String suffix) {
    return StoreClient.bytes("m@1@0@%x@half%s".formatted(chunk, suffix));
  }

  private static boolean lookUp(StoreConnection by, int chunk) {
    return by.exists(key(chunk, "metadata"));
  }

  private static void set(StoreConnection by, int chunk) {
    write(by, key(chunk, "kv_bytes"), CHUNK);
    write(by, key(chunk, "metadata"), 28);
  }

  private static void write(StoreConnection by, byte[] key, int length) {
    try (ValueWriter writer = by.write(key, length)) {
      writer.write(ByteBuffer.allocate(length));
      writer.commit(SetOptions.PLAIN);
    }
  }

  private static boolean read(StoreConnection by, byte[] key) {
    ValueReader reader = by.get(key);
    if (reader != null) {
      reader.close();
    }
    return reader != null;
  }

  private static int serve(StoreConnection by, int from, int to) {
    int found = from;
    while (found < to && lookUp(by, found)) {
      found++;
    }
    for (int i = from; i < found; i++) {
      read(by, key(i, "metadata"));
      read(by, key(i, "kv_bytes"));
    }
    for (int i = found; i < to; i++) {
      set(by, i);
    }
    return found - from;
  }

  @Test
  void aRequestIsReportedOnceAndAsAWhole() {
    try (StoreConnection by = store.connect("a")) {
      serve(by, 0, 4);
      serve(by, 0, 6);
    }
    assertThat(log.objects).isEmpty();
    assertThat(log.requests).hasSize(2);
    Reported first = log.requests.getFirst();
    Reported second = log.requests.getLast();
    assertThat(first.keys).hasSize(4).isEqualTo(second.keys.subList(0, 4));
    assertThat(new HashSet<>(second.keys)).hasSize(6);
    assertThat(second.weights).hasSize(6).containsOnly(WEIGHT);
    assertThat(first.matched).isZero();
    assertThat(second.matched).isEqualTo(4);
    assertThat(second.counted).isZero();
    assertThat(second.serial).isNotEqualTo(first.serial).isPositive();
    assertThat(log.accesses).isEqualTo(10);
    assertThat(log.hits).isEqualTo(4);
  }

  @Test
  void whatIsAddedLaterIsReportedAsAPartOfTheSameRequest() {
    try (StoreConnection by = store.connect("a")) {
      serve(by, 0, 3);
      assertThat(lookUp(by, 0) && lookUp(by, 1) && lookUp(by, 2)).isTrue();
      assertThat(lookUp(by, 3)).isFalse();
      clock.millis += 2_000;
      store.sweep(1);
      assertThat(log.requests).hasSize(2);
      set(by, 3);
      set(by, 4);
    }
    assertThat(log.requests).hasSize(3);
    Reported before = log.requests.get(1);
    Reported after = log.requests.get(2);
    assertThat(before.weights).containsExactly(WEIGHT, WEIGHT, WEIGHT, 0);
    assertThat(before.matched).isEqualTo(3);
    assertThat(after.serial).isEqualTo(before.serial);
    assertThat(after.keys).hasSize(5).startsWith(before.keys.toArray(Long[]::new));
    assertThat(after.weights).containsOnly(WEIGHT);
    assertThat(after.counted).isEqualTo(4);
    assertThat(after.used).isEqualTo(3);
    assertThat(log.objects).isEmpty();
    assertThat(log.accesses).isEqualTo(3 + 5);
    assertThat(log.hits).isEqualTo(3);
  }

  @Test
  void aMissingChunkThatIsNeverStoredIsAMissOfItsRequest() {
    try (StoreConnection by = store.connect("a")) {
      lookUp(by, 0);
    }
    assertThat(log.objects).isEmpty();
    assertThat(log.requests)
        .singleElement()
        .satisfies(each -> {
          assertThat(each.weights).containsExactly(0);
          assertThat(each.matched).isZero();
        });
  }

  @Test
  void aStatedRequestIsReportedWithItsFacts() {
    RequestFacts facts = RequestFacts.of("acme", "chat").withPriority(2).withHint(3);
    List<byte[]> keys = IntStream.range(0, 3).mapToObj(i -> key(i, "kv_bytes")).toList();
    try (StoreConnection by = store.connect("a")) {
      assertThat(by.begin("r", facts, -1, keys)).isZero();
      keys.forEach(key -> write(by, key, CHUNK));
      by.end("r", 17);
      assertThat(by.begin("r", facts, -1, keys)).isEqualTo(3);
      keys.forEach(key -> assertThat(read(by, key)).isTrue());
      by.end("r", -1);
    }
    assertThat(log.objects).isEmpty();
    assertThat(log.requests).hasSize(2);
    assertThat(log.requests.getFirst().outputTokens).isEqualTo(17);
    assertThat(log.requests.getFirst().facts).isEqualTo(facts);
    assertThat(log.requests.getLast().matched).isEqualTo(3);
    assertThat(log.accesses).isEqualTo(6);
    assertThat(log.hits).isEqualTo(3);
  }

  @Test
  void anAnswerThatIsKnownLaterIsReportedAsAPart() {
    List<byte[]> keys = IntStream.range(0, 3).mapToObj(i -> key(i, "kv_bytes")).toList();
    try (StoreConnection by = store.connect("a")) {
      by.begin("r", RequestFacts.UNKNOWN, -1, keys);
      keys.forEach(key -> write(by, key, CHUNK));
      // A value of a request cannot go before its policy knows the request.
      store.delete(keys.getLast());
      by.end("r", 17);
    }
    assertThat(log.requests).hasSize(2);
    Reported answered = log.requests.getLast();
    assertThat(answered.serial).isEqualTo(log.requests.getFirst().serial);
    assertThat(answered.outputTokens).isEqualTo(17);
    assertThat(answered.counted).isEqualTo(3);
    assertThat(answered.used).isEqualTo(3);
    assertThat(log.accesses).isEqualTo(3);
  }

  @Test
  void valuesOutsideOfChainsAreObjects() {
    byte[] plain = StoreClient.bytes("plain");
    try (StoreConnection by = store.connect("a")) {
      assertThat(read(by, plain)).isFalse();
      write(by, plain, CHUNK);
      assertThat(read(by, plain)).isTrue();
      serve(by, 0, 2);
      assertThat(read(by, plain)).isTrue();
      store.delete(plain);
    }
    assertThat(log.objects).containsExactly("missed", "stored", "hit", "hit", "removed DELETED");
    assertThat(log.requests).singleElement().satisfies(each -> assertThat(each.keys).hasSize(2));
  }

  @Test
  void aReadOfAChunkThatNoLookupFoundIsThatOfAnObject() {
    try (StoreConnection by = store.connect("a")) {
      serve(by, 0, 2);
    }
    try (StoreConnection by = store.connect("b")) {
      assertThat(read(by, key(0, "kv_bytes"))).isTrue();
      assertThat(read(by, key(7, "kv_bytes"))).isFalse();
    }
    assertThat(log.objects).containsExactly("hit", "missed");
  }

  private static byte[] shard(int rank, String suffix) {
    return StoreClient.bytes("m@2@%d@7@half%s".formatted(rank, suffix));
  }

  @Test
  void theValuesOfAllRanksAreOneChunk() {
    try (StoreConnection first = store.connect("a");
        StoreConnection second = store.connect("a")) {
      for (StoreConnection by : List.of(first, second)) {
        int rank = by == first ? 0 : 1;
        assertThat(by.exists(shard(rank, "metadata"))).isFalse();
        write(by, shard(rank, "kv_bytes"), CHUNK);
        write(by, shard(rank, "metadata"), 28);
      }
      for (StoreConnection by : List.of(first, second)) {
        int rank = by == first ? 0 : 1;
        assertThat(by.exists(shard(rank, "metadata"))).isTrue();
        assertThat(read(by, shard(rank, "kv_bytes"))).isTrue();
      }
    }
    assertThat(log.objects).isEmpty();
    assertThat(log.requests).hasSize(2);
    assertThat(log.requests.getLast().weights).containsExactly(2 * WEIGHT);
    assertThat(log.accesses).isEqualTo(2);
    assertThat(log.hits).isOne();

    store.delete(shard(1, "kv_bytes"));
    assertThat(log.objects).containsExactly("reweighed " + WEIGHT);
  }

  @Test
  void aReadCountsOnceWithoutLeasesToo() {
    store.lookupLease(Duration.ZERO);
    try (StoreConnection by = store.connect("a")) {
      serve(by, 0, 5);
      assertThat(serve(by, 0, 5)).isEqualTo(5);
    }
    assertThat(log.objects).isEmpty();
    assertThat(log.accesses).isEqualTo(10);
    assertThat(log.hits).isEqualTo(5);
  }

  /** Whatever clients do, a chunk of a request is counted once, with what its client was told. */
  @Test
  void mixedTrafficIsCountedOnce() {
    Random random = new Random(5);
    Map<Integer, StoreConnection> clients = new HashMap<>();
    long requested = 0;
    long found = 0;
    Set<Integer> plain = new HashSet<>();
    for (int step = 0; step < 2_000; step++) {
      StoreConnection by =
          clients.computeIfAbsent(random.nextInt(3), number -> store.connect("c" + number));
      if (random.nextInt(3) == 0) {
        int number = random.nextInt(50);
        byte[] key = StoreClient.bytes("plain-" + number);
        boolean hit = read(by, key);
        assertThat(hit).isEqualTo(!plain.add(number));
        if (!hit) {
          write(by, key, CHUNK);
        }
        requested++;
        found += hit ? 1 : 0;
      } else {
        // 64 MiB hold all of it.
        int prompt = random.nextInt(20) * 1_000;
        int chunks = 1 + random.nextInt(20);
        requested += chunks;
        found += serve(by, prompt, prompt + chunks);
      }
      if (random.nextInt(20) == 0) {
        clock.millis += 700;
        store.sweep(1);
      }
    }
    clients.values().forEach(StoreConnection::close);
    assertThat(log.accesses).isEqualTo(requested);
    assertThat(log.hits).isEqualTo(found);
    assertThat(store.stats().evicted()).isZero();
  }
}
