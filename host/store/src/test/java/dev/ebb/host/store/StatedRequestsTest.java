package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.RequestEnd;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.store.chain.Links;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.value.StoredValue;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import dev.ebb.spi.Request;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests whose keys the client states. */
class StatedRequestsTest {

  private static final long PART = 4 << 20;
  private static final int CHUNK = 60_000;

  private final TestClock clock = new TestClock();
  private final HostDevice device = new HostDevice();
  private final Recorder recorder = new Recorder();
  private ObjectStore store = store(ChainKeys.OFF);

  /** Evicts what is least important, and remembers the requests that have ended. */
  private static final class Recorder extends RankedBlockPolicy {

    private final List<String> ended = new ArrayList<>();
    private final List<String> shown = new ArrayList<>();

    @Override
    protected double rank(Entry entry) {
      return entry.priority();
    }

    @Override
    public void ended(Request request) {
      shown.add(
          "%s by %s, again after %d"
              .formatted(request.finishReason(), request.model(), request.returnAfterNanos()));
      ended.add(
          "%s/%s priority %d hint %d: %d of %d, output %d"
              .formatted(
                  request.tenant(),
                  request.workload(),
                  request.priority(),
                  request.hint(),
                  request.matched(),
                  request.blocks(),
                  request.outputTokens()));
    }
  }

  private ObjectStore store(ChainKeys chained) {
    StoreOptions options = Stores.twoParts(PART);
    return new ObjectStore(
        device,
        options.chains(chained).lookupLease(Duration.ofSeconds(5)).respectPriority(true),
        clock);
  }

  @BeforeEach
  void record() {
    // One instance for each part; the tests look at the shared one.
    store
        .site()
        .prepare(
            List.of(
                new PolicyCandidate("recorder", recorder),
                new PolicyCandidate("recorder", new Recorder())))
        .publish(() -> {});
  }

  private void reopen(ChainKeys chained) {
    store.close();
    store = store(chained);
    record();
  }

  @AfterEach
  void close() {
    Stores.close(store);
    device.close();
  }

  private static List<String> prompt(String name, int chunks) {
    return IntStream.range(0, chunks).mapToObj(i -> name + i).toList();
  }

  private static int begin(StoreConnection by, String id, List<String> keys) {
    return begin(by, id, RequestFacts.UNKNOWN, keys);
  }

  private static int begin(StoreConnection by, String id, RequestFacts facts, List<String> keys) {
    return by.begin(id, facts, -1, keys.stream().map(StoreClient::bytes).toList());
  }

  private static RequestFacts facts(int priority) {
    return RequestFacts.of("ann", "agent").withPriority(priority).withHint(9);
  }

  private static void set(StoreConnection by, String key) {
    try (ValueWriter writer = by.write(StoreClient.bytes(key), CHUNK)) {
      writer.write(ByteBuffer.wrap(new byte[CHUNK]));
      assertThat(writer.commit(SetOptions.PLAIN).outcome()).isEqualTo(SetResult.Outcome.STORED);
    }
  }

  private StoredValue value(String key) {
    StoredValue[] found = new StoredValue[1];
    for (StorePartition part : store.parts()) {
      part.values.each(
          0,
          part.values.slots(),
          value -> found[0] = Arrays.equals(value.key.bytes(), bytes(key)) ? value : found[0]);
    }
    return requireNonNull(found[0], key);
  }

  private static String text(byte[] key) {
    return new String(key, StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String key) {
    return StoreClient.bytes(key);
  }

  private void assertChain(List<String> prompt) {
    assertThat(Links.parent(value(prompt.getFirst()))).isNull();
    for (int i = 1; i < prompt.size(); i++) {
      assertThat(Links.parent(value(prompt.get(i)))).isSameAs(value(prompt.get(i - 1)));
      assertThat(requireNonNull(value(prompt.get(i)).entry()).depth()).isEqualTo(i);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"off", "auto", "*"})
  void anyKeysMakeAChainInTheirOrder(String chained) {
    reopen(ChainKeys.of(chained));
    List<String> prompt = prompt("k", 12);
    List<String> stored = new ArrayList<>(prompt);
    Collections.shuffle(stored, new Random(3));
    StoreConnection by = store.connect("a");
    assertThat(begin(by, "r", prompt)).isZero();
    // From any connection, in any order.
    List<StoreConnection> writers = List.of(by, store.connect("a"), store.connect("b"));
    for (int i = 0; i < stored.size(); i++) {
      set(writers.get(i % 3), stored.get(i));
      Stores.assertSound(store);
    }
    assertThat(recorder.ended).isEmpty();
    assertThat(by.end("r", 250)).isTrue();
    assertThat(recorder.ended).containsExactly("null/null priority 1 hint 0: 0 of 12, output 250");
    assertChain(prompt);
    assertThat(begin(by, "r", prompt)).isEqualTo(12);
    by.close();
    assertThat(recorder.ended).hasSize(2).last().asString().contains("12 of 12, output -1");
    writers.forEach(StoreConnection::close);
    assertThat(store.stats().chains().requests()).isEqualTo(2);
    assertThat(store.stats().chains().lookups()).isEqualTo(24);
    assertThat(store.stats().chains().hits()).isEqualTo(12);
  }

  @Test
  void theAttributesReachEntriesAndPolicies() {
    StoreConnection by = store.connect("a");
    by.begin("r", facts(5), 40, List.of(bytes("a"), bytes("b")));
    set(by, "a");
    set(store.connect("b"), "b");
    CacheEntry stored = requireNonNull(value("b").entry());
    by.end("r", -1);
    assertThat(stored.priority()).isEqualTo(5);
    assertThat(stored.tenant()).isEqualTo("ann");
    assertThat(stored.workload()).isEqualTo("agent");
    assertThat(stored.hint()).isEqualTo(9);
    assertThat(recorder.ended).containsExactly("ann/agent priority 5 hint 9: 0 of 2, output 40");
    begin(by, "r", facts(2), List.of("a"));
    by.end("r", 3);
    assertThat(requireNonNull(value("a").entry()).priority()).isEqualTo(2);
  }

  @Test
  void whatOnlyTheEndShowsReachesThePolicy() {
    StoreConnection by = store.connect("a");
    RequestFacts begun = facts(1).ended(0, new RequestEnd(null, "small", -1));
    begin(by, "r", begun, List.of("a"));
    set(by, "a");
    by.end("r", -1, facts -> facts.ended(4, new RequestEnd("stop", null, 5)));
    assertThat(recorder.shown).containsExactly("stop by small, again after 5");
    assertThat(recorder.ended).singleElement().asString().contains("hint 4");
    assertThat(requireNonNull(value("a").entry()).hint()).isEqualTo(4);
  }

  @Test
  void lifetimeAndCostReachEntriesAndMayComeAtTheEnd() {
    StoreConnection by = store.connect("a");
    begin(by, "r", facts(1).withReuse(7, 2.5), List.of("a", "b"));
    set(by, "a");
    CacheEntry stored = requireNonNull(value("a").entry());
    assertThat(stored.lifetimeHintNanos()).isEqualTo(7);
    assertThat(stored.recomputeCost()).isEqualTo(2.5);
    by.end("r", -1, facts -> facts.withReuse(-1, 90));
    assertThat(stored.lifetimeHintNanos()).isEqualTo(7);
    assertThat(stored.recomputeCost()).isEqualTo(90);
    assertThat(stored.hint()).isEqualTo(9);
    begin(by, "r", facts(1), List.of("a", "b"));
    by.end("r", -1);
    assertThat(stored.lifetimeHintNanos()).isEqualTo(-1);
    assertThat(stored.recomputeCost()).isNaN();
  }

  @Test
  void aMissingTenantAndLabelAreThoseOfTheKey() {
    StoreConnection by = store.connect("a");
    begin(by, "r", List.of("model@1@0@abc@bob@x"));
    set(by, "model@1@0@abc@bob@x");
    by.end("r", -1);
    assertThat(recorder.ended).containsExactly("bob/model priority 1 hint 0: 0 of 1, output -1");
  }

  @Test
  void priorityDecidesWhatIsEvicted() {
    StoreConnection by = store.connect("a");
    for (int i = 0; i < 30; i++) {
      List<String> prompt = prompt("p" + i + "-", 5);
      begin(by, "r" + i, facts(i == 3 ? 9 : 1), prompt);
      prompt.forEach(key -> set(by, key));
      by.end("r" + i, 10);
    }
    assertThat(store.stats().evicted()).isGreaterThan(50);
    assertChain(prompt("p3-", 5));
    assertThat(new StoreClient(store).has("p4-4")).isFalse();
  }

  @Test
  void aResidentPrefixIsLeasedAndStaysUntilTheEnd() {
    StoreConnection by = store.connect("a");
    List<String> prompt = prompt("k", 6);
    begin(by, "r", facts(-5), prompt.subList(0, 4));
    prompt.subList(0, 4).forEach(key -> set(by, key));
    by.end("r", -1);
    assertThat(begin(by, "r", facts(-5), prompt)).isEqualTo(4);
    assertThat(store.stats().leases().held()).isEqualTo(4);
    clock.millis += 5_001;
    for (int i = 0; i < 150; i++) {
      set(by, "other" + i);
    }
    assertThat(store.stats().evicted()).isPositive();
    prompt.subList(4, 6).forEach(key -> set(by, key));
    by.end("r", -1);
    assertChain(prompt);
  }

  @Test
  void aChunkIsNamedByEitherOfItsKeys() {
    StoreConnection by = store.connect("a");
    List<String> names = List.of("xmetadata", "xkv_bytes", "ymetadata");
    assertThat(begin(by, "r", names)).isZero();
    set(by, "xkv_bytes");
    set(by, "ykv_bytes");
    by.end("r", -1);
    assertThat(Links.parent(value("ykv_bytes"))).isSameAs(value("xkv_bytes"));
    assertThat(begin(by, "r", List.of("xkv_bytes", "ykv_bytes", "zkv_bytes"))).isEqualTo(2);
    by.close();
  }

  @Test
  void requestsOfOneConnectionShareAPrefix() {
    StoreConnection by = store.connect("a");
    List<String> first = List.of("a", "b", "c");
    List<String> second = List.of("a", "b", "d", "e");
    begin(by, "1", first);
    begin(by, "2", second);
    for (String key : List.of("e", "c", "d", "b", "a")) {
      set(by, key);
    }
    Stores.assertSound(store);
    by.end("2", 1);
    Stores.assertSound(store);
    by.end("1", 1);
    assertChain(first);
    assertChain(second);
    assertNothingIsUnpublished();
  }

  @Test
  void beginningAnIdAgainEndsIt() {
    StoreConnection by = store.connect("a");
    begin(by, "r", List.of("a", "b"));
    set(by, "a");
    begin(by, "r", List.of("c"));
    assertThat(recorder.ended).hasSize(1);
    assertNothingIsUnpublished();
    // Its missing key is not waited for any more, but its place is known.
    set(by, "b");
    assertThat(Links.parent(value("b"))).isSameAs(value("a"));
    assertThat(by.end("r", -1)).isTrue();
    assertThat(by.end("r", -1)).isFalse();
    assertThat(by.end("x", -1)).isFalse();
  }

  @Test
  void anIdleRequestIsCompleted() {
    StoreConnection by = store.connect("a");
    begin(by, "r", List.of("a", "b"));
    set(by, "a");
    clock.millis += 30_000;
    store.sweep(10);
    assertThat(recorder.ended).isEmpty();
    clock.millis += 31_000;
    store.sweep(10);
    assertThat(recorder.ended).hasSize(1);
    assertNothingIsUnpublished();
    set(by, "b");
    assertThat(by.end("r", 7)).isTrue();
    assertChain(List.of("a", "b"));
    assertThat(recorder.ended).hasSize(1);
  }

  @Test
  void aRequestThatIsCompletedEarlyReportsItsAnswerAtItsEnd() {
    StoreConnection by = store.connect("a");
    begin(by, "r", List.of("a", "b"));
    set(by, "a");
    set(by, "b");
    // Its values together with those of another request exceed a quarter of the pool.
    List<String> large = prompt("large", 20);
    begin(by, "s", large);
    large.forEach(key -> set(by, key));
    assertThat(Links.request(value("a"))).isNull();
    assertThat(recorder.ended).containsOnlyOnce("null/null priority 1 hint 0: 0 of 2, output -1");
    by.end("r", 250);
    assertThat(recorder.ended).last().isEqualTo("null/null priority 1 hint 0: 2 of 2, output 250");
    by.end("s", 7);
    assertThat(recorder.ended).last().asString().endsWith("of 20, output 7");
    assertThat(store.stats().chains().requests()).isEqualTo(2);
    assertChain(List.of("a", "b"));
    assertChain(large);
    assertNothingIsUnpublished();
    // The answer was known before.
    int before = recorder.ended.size();
    by.begin("t", RequestFacts.UNKNOWN, 40, large.stream().map(StoreClient::bytes).toList());
    store.parts().getFirst().place.locked(() -> store.parts().getFirst().chains.completeAll());
    by.end("t", 40);
    assertThat(recorder.ended).hasSize(before + 1);
  }

  @Test
  void memoryIsTakenFromLearnedRequestsFirst() {
    reopen(ChainKeys.ALL);
    StoreConnection stating = store.connect("a");
    begin(stating, "r", List.of("a", "b"));
    set(stating, "a");
    StoreConnection by = store.connect("b");
    by.exists(bytes("x0"));
    prompt("x", 20).forEach(key -> set(by, key));
    assertThat(Links.request(value("x0"))).isNull();
    assertThat(Links.request(value("a"))).isNotNull();
    set(stating, "b");
    stating.end("r", 25);
    assertThat(recorder.ended).last().asString().endsWith("0 of 2, output 25");
    by.close();
    assertNothingIsUnpublished();
  }

  @Test
  void aLearnedRequestDoesNotWaitForAStatedOne() {
    reopen(ChainKeys.ALL);
    StoreConnection stating = store.connect("a");
    begin(stating, "r", List.of("a"));
    set(stating, "a");
    StoreConnection by = store.connect("b");
    by.exists(bytes("x"));
    set(by, "x");
    clock.millis += 1_001;
    store.sweep(10);
    assertThat(Links.request(value("x"))).isNull();
    assertThat(Links.request(value("a"))).isNotNull();
    by.close();
    stating.close();
    assertNothingIsUnpublished();
  }

  @Test
  void aWrongOrderIsCorrectedByTheNextRequest() {
    StoreConnection by = store.connect("a");
    begin(by, "r", List.of("c", "b", "a"));
    List.of("a", "b", "c").forEach(key -> set(by, key));
    by.end("r", -1);
    assertChain(List.of("c", "b", "a"));
    for (int round = 0; round < 2; round++) {
      begin(by, "r", List.of("a", "b", "c"));
      Stores.assertSound(store);
      by.end("r", -1);
    }
    assertChain(List.of("a", "b", "c"));
    begin(by, "r", List.of("a", "a", "b", "a"));
    by.end("r", -1);
    assertChain(List.of("a", "b", "c"));
  }

  @Test
  void aRequestWithoutItsFrontIsReachableOnceThatIsStored() {
    StoreConnection by = store.connect("a");
    List<String> prompt = prompt("k", 4);
    begin(by, "r", prompt);
    prompt.subList(1, 4).forEach(key -> set(by, key));
    by.end("r", -1);
    assertThat(store.stats().chains().unreachable()).isEqualTo(3);
    assertThat(begin(by, "r", prompt)).isZero();
    set(by, prompt.getFirst());
    by.end("r", -1);
    assertChain(prompt);
    assertThat(store.stats().chains().unreachable()).isZero();
  }

  @Test
  void oneRequestHasOnePart() {
    StoreConnection by = store.connect("a");
    List<String> quota = List.of("m@1@0@1@acme@x", "m@1@0@2@acme@x");
    assertThatThrownBy(() -> begin(by, "r", List.of(quota.getFirst(), "plain")))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("'" + quota.getFirst() + "'", "'plain'", "each tenant");
    assertThat(by.stated()).isEmpty();
    begin(by, "r", quota);
    quota.forEach(key -> set(by, key));
    begin(by, "s", List.of("plain"));
    set(by, "plain");
    by.close();
    assertChain(quota);
    assertNothingIsUnpublished();
  }

  @Test
  void openRequestsAndTheirKeysAreBounded() {
    StoreConnection by = store.connect("a");
    for (int i = 0; i < StoreConnection.MOST_REQUESTS; i++) {
      begin(by, "r" + i, List.of("k" + i));
    }
    assertThatThrownBy(() -> begin(by, "more", List.of("a")))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("'more'", "1024", "EBB.REQUEST END");
    begin(by, "r0", List.of("a"));
    by.end("r1", -1);
    begin(by, "more", List.of("a"));
    // Requests that were inactive for too long make room.
    clock.millis += 61_000;
    store.sweep(10);
    begin(by, "again", List.of("a"));
    List<byte[]> many = Collections.nCopies(StoreConnection.MOST_KEYS + 1, bytes("a"));
    assertThatThrownBy(() -> by.begin("long", RequestFacts.UNKNOWN, -1, many))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("'long'", "'262145'", "262144");
    by.close();
    assertThat(by.stated()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void anyInterleavingIsSound(int seed) {
    reopen(seed % 2 == 0 ? ChainKeys.ALL : ChainKeys.OFF);
    ResidentKeys follower = new ResidentKeys();
    store.keyListener(follower);
    Random random = new Random(seed);
    List<StoreConnection> clients =
        IntStream.range(0, 4).mapToObj(i -> store.connect("host" + i % 2)).toList();
    List<List<String>> prompts =
        IntStream.range(0, 40)
            .mapToObj(i -> {
              List<String> prompt = new ArrayList<>(prompt("s" + i % 3 + "-", random.nextInt(5)));
              prompt.addAll(prompt("p" + i + "-", 1 + random.nextInt(8)));
              return prompt;
            })
            .toList();
    for (int step = 0; step < 3_000; step++) {
      StoreConnection by = clients.get(random.nextInt(4));
      List<String> prompt = prompts.get(random.nextInt(40));
      String key = prompt.get(random.nextInt(prompt.size()));
      switch (random.nextInt(9)) {
        case 0, 1 -> begin(by, "r" + random.nextInt(3), prompt);
        case 2 -> by.end("r" + random.nextInt(3), random.nextInt(9));
        case 3 -> by.exists(bytes(key));
        case 4 -> store.delete(bytes(key));
        case 5 -> {
          clock.millis += random.nextInt(20_000);
          store.sweep(5);
        }
        case 6 -> {
          ValueReader reader = by.get(bytes(key));
          if (reader != null) {
            reader.close();
          }
        }
        default -> set(by, key);
      }
      if (step % 20 == 0) {
        Stores.assertSound(store);
      }
      if (random.nextInt(200) == 0) {
        by.close();
      }
    }
    clients.forEach(StoreConnection::close);
    assertNothingIsUnpublished();
    assertThat(follower.wrong).isEmpty();
    assertThat(follower.resident).isEqualTo(new StoreClient(store).keys());
    assertThat(follower.parents).isGreaterThan(100);
    assertThat(store.stats().evicted()).isPositive();
    assertThat(recorder.ended).isNotEmpty();
  }

  private void assertNothingIsUnpublished() {
    Stores.assertSound(store);
    for (StorePartition part : store.parts()) {
      part.values.each(
          0,
          part.values.slots(),
          value -> {
            assertThat(Links.request(value)).isNull();
            assertThat(requireNonNull(value.entry()).published()).isTrue();
          });
    }
  }
}
