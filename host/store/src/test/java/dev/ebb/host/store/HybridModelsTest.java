package dev.ebb.host.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.AccessListener;
import dev.ebb.host.cache.UselessObjects;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.stats.EvictionReason;
import dev.ebb.host.cache.stats.EvictionRecord;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.key.GroupObjects;
import dev.ebb.host.store.stats.HybridStats;
import dev.ebb.host.testing.Histories;
import dev.ebb.spi.RemovalCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hybrid models of LMCache servers in multiprocess mode with separate object groups, by clients
 * that know what they can use.
 */
class HybridModelsTest {

  private static final int PROMPTS = Histories.times(600);

  private static final EvictionLimits LIMITS =
      new EvictionLimits(0.95, 0.91, Duration.ofSeconds(20));

  private final TestClock clock = new TestClock();
  private final HostDevice device = new HostDevice();
  private final Map<Integer, Integer> before = new HashMap<>();
  private ObjectStore store;

  private void open(int units, String groups) {
    open(units, groups, false);
  }

  private void open(int units, String groups, boolean threaded) {
    Map<String, ObjectGroups> models =
        groups.isEmpty()
            ? Map.of()
            : Map.of("q*", ObjectGroups.parse("test", groups), "qwen-other", ObjectGroups.ONE);
    StoreOptions options =
        StoreOptions.of((long) units << 10, Duration.ofHours(9), 7)
            .chains(ChainKeys.AUTO)
            .models(models)
            .lookupLease(threaded ? Duration.ofMillis(1) : Duration.ofSeconds(5));
    store = new ObjectStore(device, threaded ? options.threaded(LIMITS, 16) : options, clock);
  }

  @AfterEach
  void close() {
    Stores.close(store);
    device.close();
  }

  private static String key(int chunk, int group, int rank, int ranks) {
    HexFormat hex = HexFormat.of();
    String part = hex.toHexDigits((byte) ranks) + hex.toHexDigits((byte) rank);
    return "qwen@" + part + part + "@" + Integer.toHexString(group) + "@" + hex.toHexDigits(chunk);
  }

  /** A server whose prompts are numbers of chunks. */
  private final class Client {

    private final LmcacheServer server;
    private final ObjectGroups groups;
    private final int ranks;
    private final boolean chunkByChunk;
    private long chunks;
    private long hits;
    private List<Integer> last = List.of();

    /** Bytes of no use, from time to time: a prompt whose chain is not known yet may have some. */
    private final LongSummaryStatistics useless = new LongSummaryStatistics();

    private Client(String groups, int ranks, boolean chunkByChunk, boolean scrambled) {
      server = new LmcacheServer(store, clock, 5, scrambled, 0);
      this.groups = ObjectGroups.parse("test", groups);
      this.ranks = ranks;
      this.chunkByChunk = chunkByChunk;
    }

    private void serve(List<Integer> prompt) {
      last = prompt;
      Set<String> found = new HashSet<>();
      server.batch(
          keys(prompt, 0, any -> 0),
          (by, key) -> {
            if (by.exists(StoreClient.bytes(key))) {
              found.add(key);
            }
          });
      int usable = usable(prompt, found);
      chunks += prompt.size();
      hits += usable;
      server.batch(keys(prompt.subList(0, usable), 0, group -> from(group, usable)), server::read);
      server.batch(keys(prompt, usable, any -> usable), server::set);
      clock.millis += 100;
      store.parts().getFirst().sweep(100);
    }

    private int from(int group, int usable) {
      return groups.isFull(group) ? 0 : Math.max(0, usable - groups.window(group));
    }

    private int usable(List<Integer> prompt, Set<String> found) {
      long[] present = new long[prompt.size()];
      for (int i = 0; i < present.length; i++) {
        for (int group = 0; group < groups.size(); group++) {
          boolean all = true;
          for (int rank = 0; rank < ranks; rank++) {
            all &= found.contains(key(prompt.get(i), group, rank, ranks));
          }
          present[i] |= all ? 1L << group : 0;
        }
      }
      return groups.usable(present, present.length);
    }

    /** Keys in LMCache's order: group by group and rank by rank, or chunk by chunk. */
    private List<String> keys(List<Integer> prompt, int any, IntUnaryOperator from) {
      List<String> keys = new ArrayList<>();
      if (chunkByChunk) {
        for (int i = any; i < prompt.size(); i++) {
          for (int group = 0; group < groups.size(); group++) {
            for (int rank = 0; i >= from.applyAsInt(group) && rank < ranks; rank++) {
              keys.add(key(prompt.get(i), group, rank, ranks));
            }
          }
        }
        return keys;
      }
      for (int group = 0; group < groups.size(); group++) {
        for (int rank = 0; rank < ranks; rank++) {
          for (int i = Math.max(any, from.applyAsInt(group)); i < prompt.size(); i++) {
            keys.add(key(prompt.get(i), group, rank, ranks));
          }
        }
      }
      return keys;
    }

    private double ratio() {
      return (double) hits / chunks;
    }
  }

  /** Conversations that grow by a few chunks with each turn, and share their first chunks. */
  private final class Conversations {
    private final Random random;
    private final List<List<Integer>> running = new ArrayList<>();
    private int made = 3;

    private Conversations(long seed) {
      random = new Random(seed);
      before.put(2, 1);
      before.put(3, 2);
    }

    private List<Integer> next() {
      if (running.size() < 15 || random.nextInt(4) == 0) {
        running.add(new ArrayList<>(List.of(1, 2, 3)));
      }
      if (running.size() > 18) {
        running.removeFirst();
      }
      List<Integer> prompt = running.get(random.nextInt(running.size()));
      for (int i = 2 + random.nextInt(8); i > 0; i--) {
        before.put(++made, prompt.getLast());
        prompt.add(made);
      }
      return List.copyOf(prompt);
    }
  }

  private Client run(int units, String known, String groups, int ranks, boolean chunkByChunk) {
    open(units, known);
    return run(new Client(groups, ranks, chunkByChunk, false));
  }

  private Client run(Client client) {
    Conversations conversations = new Conversations(11);
    for (int i = 0; i < PROMPTS; i++) {
      client.serve(conversations.next());
      if (i % 100 == 0) {
        Stores.assertSound(store);
        client.useless.accept(useless(client.groups, client.ranks));
      }
    }
    assertThat(client.server.lost).as("what was found is read").isLessThan(PROMPTS / 100);
    return client;
  }

  @ParameterizedTest
  @CsvSource({
    "'state,full', 1, false, .06",
    "'full,state', 1, true, .04",
    "'full,state', 2, false, .06",
    "'full,window=2', 1, false, .03",
    "'full,state,full', 1, false, .01"
  })
  void knownGroupsAreReusedMore(String groups, int ranks, boolean chunkByChunk, double more) {
    int units = 400 * ranks;
    double known = run(units, groups, groups, ranks, chunkByChunk).ratio();
    long useless = useless(ObjectGroups.parse("test", groups), ranks);
    UselessObjects measured = store.parts().getFirst().useless;
    measured.step(Integer.MAX_VALUE);
    measured.step(Integer.MAX_VALUE);
    assertThat(measured.blocks() << 10)
        .as("no more than is useless: chains may not be known")
        .isBetween(0L, useless + units / 50 * 1_024L);
    Stores.close(store);
    double learned = run(units, "", groups, ranks, chunkByChunk).ratio();
    ObjectGroups found = store.knownModels().all().get("qwen").groups();
    Stores.close(store);
    double alike =
        run(units, groups.replaceAll("state|window=.", "full"), groups, ranks, chunkByChunk)
            .ratio();

    assertThat(found).isEqualTo(ObjectGroups.parse("test", groups));
    assertThat(learned).isGreaterThan(known - .02);
    assertThat(known).isGreaterThan(alike + more);
    assertThat(useless).as("bytes of no use").isLessThan((long) (0.1 * (units << 10)));
  }

  @ParameterizedTest
  @CsvSource({"'state,full', 1", "'full,state,full', 1", "'state,full', 2"})
  void tilesOfEachGroupShowTheOrderWhicheverStartsFirst(String groups, int ranks) {
    double inOrder = run(400 * ranks, groups, groups, ranks, false).ratio();
    Stores.close(store);
    open(400 * ranks, groups);
    Client scrambled = run(new Client(groups, ranks, false, true));

    assertThat(scrambled.ratio()).isGreaterThan(inOrder - .01);
    assertThat(scrambled.useless.getAverage()).isLessThan(4_096.0 * ranks);
  }

  @Test
  void whatEachGroupHoldsAndLosesIsCounted() {
    Client client = run(400, "state,full", "state,full", 1, false);
    assertThat(store.stats().hybrid().lostHits()).isZero();
    List<Integer> fork = new ArrayList<>(client.last.subList(0, 6));
    fork.add(100_000);
    store.delete(StoreClient.bytes(key(fork.get(5), 0, 0, 1)));
    client.serve(fork);
    HybridStats stats = store.stats().hybrid();
    List<GroupObjects> groups = store.groups();

    assertThat(groups).extracting(each -> each.kind().toString()).containsExactly("state", "full");
    assertThat(groups.stream().mapToLong(each -> each.use().entries()).sum())
        .isEqualTo(store.stats().keys());
    assertThat(groups.stream().mapToLong(each -> each.use().usedBytes()).sum())
        .isEqualTo(store.stats().usedBytes());
    assertThat(groups.get(0).use().entries()).isLessThan(groups.get(1).use().entries());
    assertThat(stats.thinned()).isPositive().isLessThan(groups.get(0).use().evicted());
    assertThat(stats.useless()).isPositive();
    assertThat(stats.lostHits()).isPositive().isLessThan(store.stats().chains().lookups());
    List<EvictionRecord> log = store.site().evictionLog().since(0);
    assertThat(log)
        .filteredOn(each -> each.reason() == EvictionReason.THINNED)
        .isNotEmpty()
        .allMatch(each -> each.group() == 0 && each.bytes() == ObjectStore.UNIT_BYTES);
    assertThat(log)
        .filteredOn(each -> each.reason() == EvictionReason.UNUSABLE)
        .isNotEmpty()
        .allMatch(each -> each.group() == EvictionRecord.NO_GROUP);
  }

  /** Keeps the prompts that it receives, and counts all else. */
  private static final class Prompts implements AccessListener {
    private final Map<Long, Integer> chunks = new LinkedHashMap<>();
    private final Map<Long, Integer> matched = new LinkedHashMap<>();
    private final Set<String> groups = new HashSet<>();
    private int objects;

    @Override
    public void began(CacheRequest request) {
      chunks.put(request.serial(), request.blocks());
      groups.add(String.valueOf(request.objects()));
      matched.putIfAbsent(request.serial(), request.matched());
    }

    @Override
    public void appended(long key, RequestFacts facts) {
      objects++;
    }

    @Override
    public void hit(long key, int blocks, RequestFacts facts) {
      objects++;
    }

    @Override
    public void missed(long key, RequestFacts facts) {
      objects++;
    }

    @Override
    public void stored(long key, long blocks, RequestFacts facts) {
      objects++;
    }

    @Override
    public void reweighed(long key, int blocks) {
      objects++;
    }

    @Override
    public void removed(long key, RemovalCause cause) {
      objects++;
    }

    @Override
    public void cleared() {
      objects++;
    }
  }

  @ParameterizedTest
  @CsvSource({"'state,full', 400", "'full,state', 400", "'state,full', 4000", "'full,state', 4000"})
  void listenersReceiveEachPromptOnce(String groups, int units) {
    open(units, groups);
    Prompts seen = new Prompts();
    store.site().places().getFirst().add(seen);
    Client client = new Client(groups, 1, false, false);
    Conversations conversations = new Conversations(11);
    List<Integer> sent = new ArrayList<>();
    List<Integer> used = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      List<Integer> prompt = conversations.next();
      sent.add(prompt.size());
      long before = client.hits;
      client.serve(prompt);
      used.add((int) (client.hits - before));
    }
    clock.millis += 60_000;
    store.sweep(1);

    assertThat(seen.objects).as("uses of objects alone").isZero();
    // The first prompts show how a client cuts them into tiles.
    assertThat(last(40, seen.chunks.values())).isEqualTo(last(40, sent));
    assertThat(last(40, seen.matched.values())).isEqualTo(last(40, used));
    assertThat(seen.groups).containsExactly(groups.replace(",", ":1,") + ":1");
  }

  private static List<Integer> last(int count, Collection<Integer> of) {
    return List.copyOf(of).subList(of.size() - count, of.size());
  }

  @Test
  void aModelWithOneGroupHasNoneToReport() {
    open(64, "");
    new StoreClient(store).set(key(1, 0, 0, 1), 400);

    assertThat(store.groups()).isEmpty();
    assertThat(store.stats().hybrid()).isEqualTo(new HybridStats(0, 0, 0, 0, 0, 0));
  }

  /**
   * Returns the bytes that no prompt can use, by what is there and how chunks follow each other.
   */
  private long useless(ObjectGroups groups, int ranks) {
    Map<Integer, Long> present = new HashMap<>();
    Set<String> keys = new StoreClient(store).keys();
    for (String key : keys) {
      String[] parts = key.split("@");
      if (Integer.parseInt(parts[1].substring(2, 4), 16) == ranks - 1) {
        present.merge(
            Integer.parseInt(parts[3], 16), 1L << Integer.parseInt(parts[2], 16), Long::sum);
      }
    }
    Set<String> used = new HashSet<>();
    for (int end : present.keySet()) {
      List<Integer> prompt = new ArrayList<>();
      for (Integer on = end; on != null; on = before.get(on)) {
        prompt.addFirst(on);
      }
      long[] masks = prompt.stream().mapToLong(chunk -> present.getOrDefault(chunk, 0L)).toArray();
      if (groups.usable(masks, masks.length) == masks.length) {
        for (int group = 0; group < groups.size(); group++) {
          int from = groups.isFull(group) ? 0 : Math.max(0, masks.length - groups.window(group));
          for (int i = from; i < masks.length; i++) {
            for (int rank = 0; rank < ranks; rank++) {
              used.add(key(prompt.get(i), group, rank, ranks));
            }
          }
        }
      }
    }
    keys.removeAll(used);
    return (long) keys.size() << 10;
  }

  @ParameterizedTest
  @ValueSource(strings = {"state,full", "full,state"})
  void noObjectOfARejectedChunkStays(String groups) {
    open(400, groups, true);
    store
        .site()
        .prepare(List.of(new PolicyCandidate("test", new TinyLfuPolicy(400))))
        .publish(() -> {});
    Client client = new Client(groups, 1, false, false);
    Conversations conversations = new Conversations(11);
    for (int i = 0; i < PROMPTS; i++) {
      client.serve(conversations.next());
    }

    assertThat(store.partitions().getFirst().cache().rejected()).isPositive();
    int full = groups.startsWith("full") ? 0 : 1;
    Set<String> keys = new StoreClient(store).keys();
    assertThat(keys)
        .filteredOn(key -> !keys.contains(key.replaceFirst("@[01]@", "@" + full + "@")))
        .as("states without attention")
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"state,full", "full,window=2"})
  void kindsAreLearnedFromReadsOfStatedPrompts(String kinds) {
    open(10_000, "");
    ObjectGroups groups = ObjectGroups.parse("test", kinds);
    StoreConnection states = store.connect("host");
    StoreConnection reads = store.connect("host");
    Conversations conversations = new Conversations(3);
    for (int i = 0; i < 100; i++) {
      List<Integer> prompt = conversations.next();
      List<byte[]> keys =
          prompt.stream().map(chunk -> StoreClient.bytes(page(chunk, groups.firstFull()))).toList();
      int found = states.begin("r" + i, RequestFacts.UNKNOWN, 1, keys);
      states.end("r" + i, 1, facts -> facts);
      for (int group = 0; group < groups.size(); group++) {
        int from = groups.isFull(group) ? 0 : Math.max(0, found - groups.window(group));
        for (int chunk : prompt.subList(from, found)) {
          StoreClient.read(reads.get(StoreClient.bytes(page(chunk, group))));
        }
        for (int chunk : prompt.subList(found, prompt.size())) {
          new StoreClient(store).set(page(chunk, group), 400);
        }
      }
    }

    assertThat(store.knownModels().all().get("m").groups()).isEqualTo(groups);
  }

  /** A key as Ebb's clients for SGLang and vLLM have it. */
  private static String page(int chunk, int group) {
    return "%064x.%x_m_0_1@0123456789ab".formatted(0x1234567L * chunk, group);
  }

  @ParameterizedTest
  @ValueSource(strings = {"state,full", "full,state"})
  void allObjectsOfAChunkAreOneEntry(String groups) {
    open(64, groups);
    StoreClient client = new StoreClient(store);
    client.set(key(1, 0, 0, 1), 400);
    client.set(key(1, 1, 0, 1), 400);

    assertThat(store.stats().keys()).isEqualTo(2);
    assertThat(store.partitions().getFirst().cache().entries()).isEqualTo(1);
    assertThat(client.get(key(1, 1, 0, 1))).hasSize(400);
    assertThat(store.delete(StoreClient.bytes(key(1, 0, 0, 1)))).isTrue();
    assertThat(client.has(key(1, 1, 0, 1))).isTrue();
    assertThat(client.keys()).containsExactly(key(1, 1, 0, 1));
  }

  @Test
  void bytesThatAreStoredAgainKeepTheirMetadata() {
    open(64, "state,full");
    StoreClient client = new StoreClient(store);
    for (int round = 0; round < 2; round++) {
      client.set(key(1, 1, 0, 1) + "kv_bytes", 400 + round);
    }
    client.set(key(1, 1, 0, 1) + "metadata", 28);
    client.set(key(1, 1, 0, 1) + "kv_bytes", 500);

    assertThat(client.get(key(1, 1, 0, 1) + "metadata")).hasSize(28);
    assertThat(client.get(key(1, 1, 0, 1) + "kv_bytes")).hasSize(500);
  }

  @Test
  void groupsThatNoModelHasAreEntriesOfTheirOwn() {
    open(64, "state,full");
    StoreClient client = new StoreClient(store);
    for (int group = 60; group < 68; group++) {
      client.set(key(1, group, 0, 1), 400);
    }

    // Those below 64 are one entry.
    assertThat(store.partitions().getFirst().cache().entries()).isEqualTo(5);
    assertThat(client.keys()).hasSize(8);
  }

  @Test
  void unknownGroupsNeedAllChunks() {
    open(64, "");
    StoreClient client = new StoreClient(store);
    for (int group = 0; group < 3; group++) {
      client.set(key(1, group, 0, 1), 400);
    }
    assertThat(store.partitions().getFirst().cache().entries()).isEqualTo(1);
  }
}
