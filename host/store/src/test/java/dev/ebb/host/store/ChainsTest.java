package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.store.chain.Links;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.key.KeyListener;
import dev.ebb.host.store.stats.ChainStats;
import dev.ebb.host.store.value.StoredValue;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import dev.ebb.spi.RemovalCause;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the store learns about chains from lookups, reads and writes on its connections. */
class ChainsTest {

  private static final long PART = 4 << 20;
  private static final int CHUNK = 60_000;
  private static final int FITTING = 64;

  private final TestClock clock = new TestClock();
  private final HostDevice device = new HostDevice();
  private ObjectStore store = store(ChainKeys.AUTO);

  private ObjectStore store(ChainKeys chained) {
    StoreOptions options = Stores.twoParts(PART);
    return new ObjectStore(device, options.chains(chained), clock);
  }

  private ObjectStore leasing() {
    StoreOptions options = StoreOptions.of(PART, Duration.ZERO, 7);
    return new ObjectStore(
        device, options.chains(ChainKeys.AUTO).lookupLease(Duration.ofSeconds(5)), clock);
  }

  private void reopen(ChainKeys chained) {
    store.close();
    store = store(chained);
  }

  @AfterEach
  void close() {
    Stores.close(store);
    device.close();
  }

  /** Returns the keys of the chunks of a prompt, as LMCache names them, without their suffix. */
  private static List<String> prompt(int number, int chunks) {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < chunks; i++) {
      keys.add("m@1@0@%x@half".formatted(number * 1_000 + i));
    }
    return keys;
  }

  private static boolean lookUp(StoreConnection by, String chunk) {
    return by.exists(StoreClient.bytes(chunk + "metadata"));
  }

  private static int lookUp(StoreConnection by, List<String> prompt) {
    int found = 0;
    while (found < prompt.size() && lookUp(by, prompt.get(found))) {
      found++;
    }
    return found;
  }

  private static void set(StoreConnection by, String chunk) {
    write(by, chunk + "kv_bytes", CHUNK);
    write(by, chunk + "metadata", 28);
  }

  private static void write(StoreConnection by, String key, int length) {
    try (ValueWriter writer = by.write(StoreClient.bytes(key), length)) {
      writer.write(ByteBuffer.wrap(new byte[length]));
      assertThat(writer.commit(SetOptions.PLAIN).outcome()).isEqualTo(SetResult.Outcome.STORED);
    }
  }

  private static boolean read(StoreConnection by, String chunk) {
    ValueReader reader = by.get(StoreClient.bytes(chunk + "kv_bytes"));
    if (reader != null) {
      reader.close();
    }
    return reader != null;
  }

  /** Serves a prompt as LMCache does; returns how many chunks were found. */
  private static int serve(StoreConnection by, List<String> prompt) {
    int found = lookUp(by, prompt);
    prompt.subList(0, found).forEach(chunk -> read(by, chunk));
    prompt.subList(found, prompt.size()).forEach(chunk -> set(by, chunk));
    return found;
  }

  private @Nullable StoredValue value(String key) {
    StoredValue[] found = new StoredValue[1];
    store
        .parts()
        .forEach(part ->
            part.values.each(
                0,
                part.values.slots(),
                value -> {
                  if (new String(value.key.bytes(), StandardCharsets.UTF_8).equals(key)) {
                    found[0] = value;
                  }
                }));
    return found[0];
  }

  private StoredValue chunk(String chunk) {
    return requireNonNull(value(chunk + "kv_bytes"), chunk);
  }

  private @Nullable String parent(String chunk) {
    StoredValue parent = Links.parent(chunk(chunk));
    if (parent == null) {
      return null;
    }
    String key = new String(parent.key.bytes(), StandardCharsets.UTF_8);
    return key.substring(0, key.length() - "kv_bytes".length());
  }

  private void assertChain(List<String> prompt) {
    assertThat(parent(prompt.getFirst())).isNull();
    for (int i = 1; i < prompt.size(); i++) {
      assertThat(parent(prompt.get(i))).isEqualTo(prompt.get(i - 1));
      assertThat(requireNonNull(chunk(prompt.get(i)).entry()).depth()).isEqualTo(i);
    }
  }

  private ChainStats stats() {
    return store.stats().chains();
  }

  /** Serves a prompt, and looks it up so that the order is seen. */
  private void learn(StoreConnection by, List<String> prompt) {
    serve(by, prompt);
    assertThat(lookUp(by, prompt)).isEqualTo(prompt.size());
    by.close();
  }

  private void install(BlockPolicy<?> policy) {
    store
        .site()
        .prepare(
            List.of(
                new PolicyCandidate("hostile", policy),
                new PolicyCandidate("hostile", frontFirst())))
        .publish(() -> {});
  }

  /** Offers the fronts of chains first. */
  private static BlockPolicy<?> frontFirst() {
    return new RankedBlockPolicy() {
      @Override
      protected double rank(Entry entry) {
        return entry.depth();
      }
    };
  }

  @Test
  void chunksThatNoLookupHasShownAreCountedAsUnknown() {
    StoreConnection copying = store.connect("copying");
    prompt(1, 5).forEach(chunk -> set(copying, chunk));
    write(copying, "config", 10);
    clock.millis += 2_000;
    store.sweep(100);
    assertThat(store.stats().chains().unknown()).as("of the chunks alone").isEqualTo(5);

    StoreConnection engine = store.connect("engine");
    serve(engine, prompt(2, 8));
    serve(engine, prompt(1, 5));
    clock.millis += 2_000;
    store.sweep(100);
    assertThat(store.stats().chains().unknown()).isZero();
    assertThat(store.stats().chains().linked()).isEqualTo(7 + 4);
  }

  @Test
  void aLookupFollowedByWritesMakesAChain() {
    List<String> prompt = prompt(1, 8);
    try (StoreConnection by = store.connect("a")) {
      assertThat(serve(by, prompt)).isZero();
      assertThat(stats().linked()).isZero();
      assertThat(Links.request(chunk(prompt.get(3)))).isNotNull();
    }
    assertThat(stats().linked()).isEqualTo(7);
    assertThat(parent(prompt.getFirst())).isNull();
    assertThat(requireNonNull(chunk(prompt.getFirst()).entry()).depth()).isZero();
    try (StoreConnection by = store.connect("a")) {
      assertThat(serve(by, prompt)).isEqualTo(8);
    }
    assertChain(prompt);
    assertThat(stats().requests()).isEqualTo(2);
    assertThat(stats().hits()).isEqualTo(8);
    assertThat(stats().known()).isEqualTo(8);
    assertThat(stats().unreachable()).isZero();
  }

  @Test
  void aGuessedOrderIsCorrectedByALaterLookup() {
    List<String> prompt = prompt(1, 9);
    for (int seed = 0; seed < 20; seed++) {
      List<String> shuffled = new ArrayList<>(prompt);
      Collections.shuffle(shuffled, new Random(seed));
      try (StoreConnection by = store.connect("a")) {
        assertThat(lookUp(by, prompt)).isZero();
        shuffled.forEach(chunk -> set(by, chunk));
      }
      Stores.assertSound(store);
      try (StoreConnection by = store.connect("a")) {
        assertThat(lookUp(by, prompt)).isEqualTo(9);
      }
      assertChain(prompt);
      reopen(ChainKeys.AUTO);
    }
  }

  @Test
  void readsOfASharedFrontByOthersDoNotEndALookup() {
    List<String> prompt = prompt(1, 6);
    try (StoreConnection by = store.connect("a")) {
      serve(by, prompt);
    }
    long before = stats().requests();
    try (StoreConnection by = store.connect("a");
        StoreConnection other = store.connect("b")) {
      for (String chunk : prompt) {
        assertThat(lookUp(by, chunk)).isTrue();
        assertThat(read(other, chunk)).isTrue();
      }
    }
    assertThat(stats().requests()).isEqualTo(before + 1);
    assertThat(stats().hits()).isEqualTo(6);
    assertChain(prompt);
    // Where prompts part, the next chunk is new.
    try (StoreConnection by = store.connect("a");
        StoreConnection other = store.connect("b")) {
      serve(by, prompt);
      assertThat(lookUp(by, prompt.getFirst())).isTrue();
      assertThat(read(other, prompt.getFirst())).isTrue();
      assertThat(lookUp(by, prompt(2, 1).getFirst())).isFalse();
    }
    assertThat(stats().requests()).isEqualTo(before + 3);
  }

  @Test
  void aPartialLookupCorrectsWhatItShows() {
    List<String> prompt = prompt(1, 9);
    try (StoreConnection by = store.connect("a")) {
      assertThat(lookUp(by, prompt)).isZero();
      prompt.reversed().forEach(chunk -> set(by, chunk));
    }
    for (int length = 2; length <= 9; length++) {
      try (StoreConnection by = store.connect("a")) {
        assertThat(lookUp(by, prompt.subList(0, length))).isEqualTo(length);
      }
      Stores.assertSound(store);
      assertChain(prompt.subList(0, length));
    }
  }

  @Test
  void branchesShareTheirFront() {
    List<String> first = prompt(1, 6);
    List<String> second = new ArrayList<>(first.subList(0, 3));
    second.addAll(prompt(2, 4));
    StoreConnection by = store.connect("a");
    learn(by, first);
    assertThat(serve(by, second)).isEqualTo(3);
    by.close();
    assertThat(lookUp(by, second)).isEqualTo(7);
    by.close();
    assertChain(first);
    assertChain(second);
    assertThat(stats().linked()).isEqualTo(9);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aParentIsNeverEvictedBeforeItsChild(boolean hostile) {
    if (hostile) {
      install(frontFirst());
    }
    Map<String, String> before = new HashMap<>();
    List<String> wrong = new ArrayList<>();
    store.keyListener(
        new KeyListener() {
          @Override
          public void stored(
              byte[] key, int group, @Nullable ObjectGroup kind, byte @Nullable [] parent) {}

          @Override
          public void removed(byte[] key, int group, RemovalCause cause) {
            String name = new String(key, StandardCharsets.UTF_8);
            before.forEach((child, of) -> {
              if (of.equals(name) && value(child) != null) {
                wrong.add(name);
              }
            });
          }

          @Override
          public void cleared() {}
        });
    Random random = new Random(1);
    for (int i = 0; i < 30; i++) {
      List<String> prompt = prompt(random.nextInt(12), 1 + random.nextInt(12));
      StoreConnection by = store.connect("a");
      serve(by, prompt);
      by.close();
      lookUp(by, prompt);
      by.close();
      for (int k = 1; k < prompt.size(); k++) {
        if (value(prompt.get(k) + "kv_bytes") != null && parent(prompt.get(k)) != null) {
          before.put(prompt.get(k) + "kv_bytes", parent(prompt.get(k)) + "kv_bytes");
        }
      }
      Stores.assertSound(store);
      assertThat(stats().unreachable()).isZero();
    }
    assertThat(store.stats().evicted()).isGreaterThan(50);
    assertThat(wrong).isEmpty();
    store.keyListener(KeyListener.NONE);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatARequestFoundStaysUntilItHasStoredTheRest(boolean hostile) {
    store.close();
    store = leasing();
    if (hostile) {
      store.site().prepare(List.of(new PolicyCandidate("hostile", frontFirst()))).publish(() -> {});
    }
    StoreConnection by = store.connect("a");
    learn(by, prompt(1, 6));
    for (int i = 2; i < 20; i++) {
      learn(by, prompt(i, 3));
    }
    clock.millis += 5_001;
    store.sweep(1);
    assertThat(store.stats().leases().held()).isZero();
    List<String> longer = prompt(1, 20);
    assertThat(serve(by, longer)).isEqualTo(6);
    by.close();
    assertThat(store.stats().evicted()).isPositive();
    assertThat(stats().unreachable()).isZero();
    assertThat(lookUp(by, longer)).isEqualTo(20);
    by.close();
    assertChain(longer);
  }

  @Test
  void withoutItsMiddleAChainIsUnreachableUntilThatIsStoredAgain() {
    List<String> prompt = prompt(1, 8);
    StoreConnection by = store.connect("a");
    learn(by, prompt);
    byte[] middle = StoreClient.bytes(prompt.get(3) + "kv_bytes");

    assertThat(store.delete(middle)).isTrue();
    assertThat(stats().unreachable()).isEqualTo(4);
    assertThat(stats().linked()).isEqualTo(5);
    Stores.assertSound(store);

    set(by, prompt.get(3));
    by.close();
    assertThat(stats().unreachable()).isZero();
    lookUp(by, prompt);
    by.close();
    assertChain(prompt);

    clock.millis += 10;
    assertThat(store.delete(StoreClient.bytes(prompt.get(3) + "metadata"))).isTrue();
    assertThat(store.expire(middle, clock.millis + 5, any -> true)).isTrue();
    clock.millis += 6;
    store.sweep(100);
    assertThat(value(prompt.get(3) + "kv_bytes")).isNull();
    assertThat(stats().unreachable()).isEqualTo(4);

    assertThat(serve(by, prompt)).isEqualTo(3);
    by.close();
    assertThat(stats().unreachable()).isZero();
    assertChain(prompt);
  }

  @Test
  void aReplacedMiddleStaysInItsChain() {
    List<String> prompt = prompt(1, 8);
    StoreConnection by = store.connect("a");
    learn(by, prompt);
    set(by, prompt.get(3));
    assertThat(stats().unreachable()).isZero();
    by.close();
    assertThat(stats().unreachable()).isZero();
    assertChain(prompt);
    new StoreClient(store).set(prompt.get(4) + "kv_bytes", CHUNK);
    assertThat(stats().unreachable()).isZero();
    assertChain(prompt);
  }

  @Test
  void aKeyThatIsStoredTwiceByARequestIsPublishedOnce() {
    List<String> prompt = prompt(1, 5);
    StoreConnection by = store.connect("a");
    lookUp(by, prompt);
    for (int i = 0; i < 3; i++) {
      prompt.forEach(chunk -> set(by, chunk));
      Stores.assertSound(store);
    }
    by.close();
    assertNothingIsHeld();
  }

  @Test
  void metadataThatComesFirstDoesNotEndTheRequest() {
    List<String> prompt = prompt(1, 5);
    StoreConnection by = store.connect("a");
    lookUp(by, prompt);
    for (String chunk : prompt) {
      write(by, chunk + "metadata", 28);
      write(by, chunk + "kv_bytes", CHUNK);
    }
    assertThat(stats().linked()).isZero();
    by.close();
    assertThat(stats().linked()).isEqualTo(4);
    assertThat(lookUp(by, prompt)).isEqualTo(5);
    by.close();
    assertChain(prompt);
  }

  @Test
  void plainKeysAreNoChunks() {
    try (StoreConnection by = store.connect("a")) {
      assertThat(by.exists(StoreClient.bytes("one"))).isFalse();
      write(by, "one", 100);
      assertThat(by.exists(StoreClient.bytes("one"))).isTrue();
      assertThat(by.exists(StoreClient.bytes("two"))).isFalse();
      write(by, "two", 100);
      assertNothingIsHeld();
    }
    assertThat(stats()).isEqualTo(ChainStats.NONE);
    assertThat(Links.parent(requireNonNull(value("one")))).isNull();
    assertThat(Links.parent(requireNonNull(value("two")))).isNull();
  }

  @Test
  void offMeansNoChains() {
    reopen(ChainKeys.OFF);
    List<String> prompt = prompt(1, 8);
    try (StoreConnection by = store.connect("a")) {
      serve(by, prompt);
      assertNothingIsHeld();
      assertThat(serve(by, prompt)).isEqualTo(8);
    }
    assertThat(stats()).isEqualTo(ChainStats.NONE);
  }

  @Test
  void allMeansEveryKey() {
    reopen(ChainKeys.ALL);
    List<String> keys = List.of("a", "b", "c");
    StoreConnection by = store.connect("x");
    for (int round = 0; round < 2; round++) {
      for (String key : keys) {
        if (!by.exists(StoreClient.bytes(key))) {
          break;
        }
      }
      if (round == 0) {
        keys.forEach(key -> write(by, key, 100));
      }
      by.close();
    }
    assertThat(Links.parent(requireNonNull(value("b")))).isSameAs(value("a"));
    assertThat(Links.parent(requireNonNull(value("c")))).isSameAs(value("b"));
  }

  @Test
  void oneConnectionServesSeveralParts() {
    List<String> shared = prompt(1, 4);
    List<String> quota = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      quota.add("m@1@0@%x@acme@half".formatted(90_000 + i));
    }
    StoreConnection by = store.connect("a");
    for (int i = 0; i < 4; i++) {
      lookUp(by, shared.get(i));
      lookUp(by, quota.get(i));
    }
    for (int i = 0; i < 4; i++) {
      set(by, shared.get(i));
      set(by, quota.get(i));
    }
    Stores.assertSound(store);
    by.close();
    clock.millis += 2_000;
    store.sweep(10);
    assertNothingIsHeld();
    for (int i = 0; i < 2; i++) {
      assertThat(lookUp(by, shared)).isEqualTo(4);
      assertThat(lookUp(by, quota)).isEqualTo(4);
    }
    by.close();
    assertChain(shared);
    assertChain(quota);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4})
  void aConnectionThatClosesInTheMiddlePublishesItsValues(int stored) {
    List<String> prompt = prompt(1, 5);
    StoreConnection by = store.connect("a");
    lookUp(by, prompt);
    prompt.subList(0, stored).forEach(chunk -> set(by, chunk));
    ValueWriter half = by.write(StoreClient.bytes(prompt.get(stored) + "kv_bytes"), CHUNK);
    half.write(ByteBuffer.wrap(new byte[CHUNK / 2]));
    by.close();
    half.close();
    assertNothingIsHeld();
    assertThat(new StoreClient(store).keys()).hasSize(2 * stored);
    assertThat(stats().linked()).isEqualTo(Math.max(0, stored - 1));
  }

  @Test
  void anIdleRequestIsCompleted() {
    List<String> prompt = prompt(1, 5);
    StoreConnection by = store.connect("a");
    lookUp(by, prompt);
    prompt.subList(0, 3).forEach(chunk -> set(by, chunk));
    store.sweep(10);
    assertThat(Links.request(chunk(prompt.getFirst()))).isNotNull();
    clock.millis += 1_001;
    store.sweep(10);
    assertNothingIsHeld();
    assertThat(stats().linked()).isEqualTo(2);

    prompt.subList(3, 5).forEach(chunk -> set(by, chunk));
    Stores.assertSound(store);
    by.close();
    assertNothingIsHeld();
    assertThat(stats().linked()).isEqualTo(4);
    assertThat(stats().requests()).isEqualTo(1);
    assertThat(stats().lookups()).isEqualTo(5);
    lookUp(by, prompt);
    by.close();
    assertChain(prompt);
  }

  @Test
  void unpublishedValuesTakeABoundedShare() {
    List<String> prompt = prompt(1, 3 * FITTING);
    StoreConnection by = store.connect("a");
    lookUp(by, prompt);
    for (String chunk : prompt) {
      set(by, chunk);
      StorePartition part = store.parts().getFirst();
      long held = part.cache.residentBlocks() - part.cache.evictableBlocks();
      long[] unpublished = new long[1];
      part.values.each(
          0,
          part.values.slots(),
          value -> unpublished[0] += Links.request(value) == null ? 0 : value.units());
      assertThat(unpublished[0]).isLessThanOrEqualTo(part.memory.units() / 4);
      assertThat(held).isLessThanOrEqualTo(part.memory.units());
    }
    by.close();
    assertThat(store.stats().notAdmitted()).isZero();
    assertNothingIsHeld();
  }

  @Test
  void aPooledClientsWritesFormOneGroup() {
    List<String> prompt = prompt(1, 6);
    StoreConnection lookups = store.connect("pool");
    List<StoreConnection> writers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      writers.add(store.connect("pool"));
    }
    lookUp(lookups, prompt);
    // The engine's next request starts before this one has been stored.
    List<String> next = prompt(2, 6);
    lookUp(lookups, next);
    for (int i = 0; i < 6; i++) {
      set(writers.get(i % 3), prompt.get(i));
    }
    Stores.assertSound(store);
    for (int i = 0; i < 6; i++) {
      set(writers.get(i % 3), next.get(i));
    }
    Stores.assertSound(store);
    clock.millis += 1_001;
    store.sweep(10);
    assertNothingIsHeld();
    assertThat(stats().linked()).isEqualTo(10);
    assertThat(stats().requests()).isEqualTo(2);
    for (List<String> each : List.of(prompt, next)) {
      StoredValue front = chunk(each.getFirst());
      for (int i = 1; i < 6; i++) {
        StoredValue value = chunk(each.get(i));
        while (Links.parent(value) != null) {
          value = Links.parent(value);
        }
        assertThat(value).isSameAs(front);
      }
      lookUp(lookups, each);
      lookups.close();
    }
    assertChain(prompt);
    assertChain(next);
  }

  @Test
  void valuesStoredInOrderAreTrustedAfterSomeEvidence() {
    for (int i = 1; i <= 60; i++) {
      StoreConnection by = store.connect("a");
      learn(by, prompt(i, 6));
      Stores.assertSound(store);
    }
    List<String> prompt = prompt(100, 6);
    StoreConnection by = store.connect("a");
    serve(by, prompt);
    by.close();
    assertChain(prompt);

    List<String> shuffled = new ArrayList<>(prompt(101, 6));
    lookUp(by, shuffled);
    Collections.shuffle(shuffled, new Random(1));
    shuffled.forEach(chunk -> set(by, chunk));
    by.close();
    Stores.assertSound(store);
    lookUp(by, prompt(101, 6));
    by.close();
    assertChain(prompt(101, 6));
  }

  @Test
  void aValueThatARequestFoundCanBeDeleted() {
    List<String> prompt = prompt(1, 5);
    StoreConnection by = store.connect("a");
    learn(by, prompt);
    StoreConnection other = store.connect("b");
    lookUp(by, prompt);
    lookUp(other, prompt.subList(0, 4));
    assertThat(store.parts().getFirst().cache.evictableBlocks()).isZero();
    for (String chunk : prompt.reversed()) {
      assertThat(store.delete(StoreClient.bytes(chunk + "kv_bytes"))).isTrue();
      Stores.assertSound(store);
    }
    by.close();
    other.close();
    assertNothingIsHeld();
  }

  @Test
  void matchShowsTheOrder() {
    List<String> prompt = prompt(1, 6);
    List<byte[]> keys =
        prompt.stream().map(chunk -> StoreClient.bytes(chunk + "kv_bytes")).toList();
    StoreConnection by = store.connect("a");
    assertThat(by.match(keys)).isZero();
    prompt.reversed().forEach(chunk -> set(by, chunk));
    by.close();
    assertThat(by.match(keys)).isEqualTo(6);
    by.close();
    assertChain(prompt);
  }

  @Test
  void afterEnoughHonestLookupsNoWrongPredecessorStays() {
    Random random = new Random(5);
    List<List<String>> prompts = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      prompts.add(prompt(i + 1, 5));
    }
    List<StoreConnection> clients = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      clients.add(store.connect("host" + i));
      serve(clients.get(i), prompts.get(i));
    }
    List<String> all = new ArrayList<>();
    prompts.forEach(all::addAll);
    for (int step = 0; step < 3_000; step++) {
      // In adversarial orders: every client looks any chunk up.
      lookUp(clients.get(random.nextInt(8)), all.get(random.nextInt(all.size())));
      if (step % 100 == 0) {
        Stores.assertSound(store);
      }
    }
    for (int round = 0; round < 5; round++) {
      clients.forEach(StoreConnection::close);
      for (int chunk = 0; chunk < 5; chunk++) {
        for (int i = 0; i < 8; i++) {
          assertThat(lookUp(clients.get(i), prompts.get(i).get(chunk))).isTrue();
        }
      }
    }
    clients.forEach(StoreConnection::close);
    Stores.assertSound(store);
    prompts.forEach(this::assertChain);
    assertThat(stats().unreachable()).isZero();
    assertThat(stats().withdrawn()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"off", "auto", "*"})
  void aForgottenChunkCanBeReadByAnyone(String chained) {
    reopen(ChainKeys.of(chained));
    List<String> prompt = prompt(1, 4);
    StoreConnection by = store.connect("a");
    lookUp(by, prompt);
    prompt.forEach(chunk -> set(by, chunk));
    StoreClient other = new StoreClient(store);
    prompt.forEach(chunk -> assertThat(other.get(chunk + "kv_bytes")).hasSize(CHUNK));
    by.close();
    prompt.forEach(chunk -> assertThat(other.get(chunk + "metadata")).hasSize(28));
    assertNothingIsHeld();
  }

  /** Looks a prompt up as an engine's scheduler does, which reads nothing. */
  private void lookUp(StoreConnection by, List<String> prompt, long gapMillis) {
    for (String chunk : prompt) {
      assertThat(lookUp(by, chunk)).isTrue();
      clock.millis += gapMillis;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 5, 20, 50})
  void lookupsWithoutReadsAreOneRequestForEachPrompt(long gapMillis) {
    List<List<String>> prompts = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      prompts.add(prompt(i, 10));
      StoreConnection by = store.connect("a");
      serve(by, prompts.get(i));
      by.close();
    }
    Random random = new Random(gapMillis);
    StoreConnection scheduler = store.connect("a");
    for (int round = 0; round < 20; round++) {
      Collections.shuffle(prompts, random);
      for (List<String> prompt : prompts) {
        long before = stats().requests();
        lookUp(scheduler, prompt, gapMillis);
        clock.millis += gapMillis < 20 ? 30 : 230;
        // Its request ends with the next one.
        assertThat(stats().requests() - before).isLessThanOrEqualTo(1);
      }
      Stores.assertSound(store);
    }
    scheduler.close();
    assertThat(stats().requests()).isEqualTo(5 + 20 * 5);
    assertThat(stats().lookups()).isEqualTo(50 + 20 * 50);
    prompts.forEach(this::assertChain);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void lookupsWithoutPausesAreSeparatedByWhatIsKnown(boolean misled) {
    List<List<String>> prompts = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      prompts.add(prompt(i, 4));
      StoreConnection by = store.connect("a");
      serve(by, prompts.get(i));
      by.close();
    }
    Random random = new Random(1);
    StoreConnection scheduler = store.connect("a");
    for (int step = 0; misled && step < 1_000; step++) {
      lookUp(scheduler, prompts.get(random.nextInt(12)).get(random.nextInt(4)));
    }
    for (int i = 0; misled && i < 4; i++) {
      prompts.forEach(prompt -> lookUp(scheduler, prompt, 0));
    }
    scheduler.close();
    int rounds = misled ? 100 : 30;
    long before = stats().requests();
    for (int round = 0; round < rounds; round++) {
      Collections.shuffle(prompts, random);
      prompts.forEach(prompt -> lookUp(scheduler, prompt, 0));
      Stores.assertSound(store);
    }
    scheduler.close();
    prompts.forEach(this::assertChain);
    // An order that was seen several times is taken for one prompt, until it is seen no more.
    assertThat(stats().requests() - before).isBetween((misled ? 95L : 28L) * 12, rounds * 12L);
  }

  @Test
  void aNewPromptAfterAPauseIsNotOneWithThatBeforeIt() {
    List<String> first = prompt(1, 5);
    List<String> second = prompt(2, 5);
    StoreConnection by = store.connect("a");
    learn(by, first);
    lookUp(by, first);
    clock.millis += 101;
    assertThat(serve(by, second)).isZero();
    by.close();
    assertThat(stats().requests()).isEqualTo(4);
    lookUp(by, second);
    by.close();
    assertChain(first);
    assertChain(second);
  }

  @Test
  void aPromptThatWasTakenForTheEndOfAnotherOneIsSetRight() {
    List<List<String>> prompts = new ArrayList<>();
    StoreConnection by = store.connect("a");
    for (int i = 0; i < 6; i++) {
      prompts.add(prompt(i, 4));
      learn(by, prompts.get(i));
    }
    List<String> late = prompt(9, 4);
    lookUp(by, prompts.getFirst());
    // Nothing shows that this is another prompt.
    assertThat(serve(by, late)).isZero();
    by.close();
    assertThat(parent(late.getFirst())).isEqualTo(prompts.getFirst().getLast());
    StoreConnection scheduler = store.connect("a");
    for (List<String> before : prompts.subList(1, 3)) {
      lookUp(scheduler, before);
      assertThat(lookUp(scheduler, late)).isEqualTo(4);
    }
    scheduler.close();
    assertChain(late);
    prompts.forEach(this::assertChain);
  }

  @Test
  void aBatchIsARequestOfItsOwn() {
    List<String> first = prompt(1, 4);
    List<String> second = prompt(2, 4);
    StoreConnection by = store.connect("a");
    for (int round = 0; round < 3; round++) {
      for (List<String> prompt : List.of(first, second)) {
        List<byte[]> keys =
            prompt.stream().map(chunk -> StoreClient.bytes(chunk + "metadata")).toList();
        assertThat(by.exists(keys)).isEqualTo(round == 0 ? 0 : 4);
        if (round == 0) {
          prompt.forEach(chunk -> set(by, chunk));
        }
      }
      lookUp(by, first.getFirst());
    }
    by.close();
    assertChain(first);
    assertChain(second);
    assertThat(
            by.exists(
                List.of(
                    StoreClient.bytes(first.getFirst() + "metadata"),
                    StoreClient.bytes(first.getFirst() + "kv_bytes"))))
        .isEqualTo(2);
    lookUp(by, first.get(1));
    by.close();
    assertThat(stats().hits()).isEqualTo(2 * 8 + 3 + 2);
  }

  private void assertNothingIsHeld() {
    Stores.assertSound(store);
    for (StorePartition part : store.parts()) {
      assertThat(part.cache.evictableBlocks()).isEqualTo(part.cache.residentBlocks());
      part.place.locked(() -> Stores.assertPolicySize(part));
    }
  }
}
