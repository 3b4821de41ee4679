package dev.ebb.host.cache.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.testing.DelegatingPolicy;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A cache without values, beside a plain model of what a client of the live cache would see. */
class CacheSimulationTest {

  private static final RequestFacts ANY = RequestFacts.UNKNOWN;
  private static final int CAPACITY = 50;

  private CacheSimulation cache = lru(CAPACITY, null);

  private static CacheSimulation lru(long capacity, @Nullable EvictionLimits limits) {
    return new CacheSimulation(
        new PolicyCandidate("lru", new BuiltInLru()), capacity, () -> 0, limits);
  }

  private void use(CacheSimulation other) {
    cache.close();
    cache = other;
  }

  @AfterEach
  void close() {
    cache.close();
  }

  /** LRU over weights: the coldest first, and what the live cache missed last. */
  private static final class Model {
    private final LinkedHashMap<Long, Long> weights = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Long, Boolean> awaited = new LinkedHashMap<>();
    private long used;

    boolean access(boolean liveHit, long key, long blocks) {
      if (!liveHit) {
        awaited.put(key, true);
      }
      if (weights.get(key) != null) {
        return true;
      }
      if (liveHit) {
        insert(key, blocks);
      }
      return false;
    }

    void store(long key, long blocks) {
      boolean refill = awaited.remove(key) != null;
      Long now = weights.containsKey(key) ? peek(key) : null;
      if (refill && now != null && now == blocks) {
        return;
      }
      drop(key);
      insert(key, blocks);
    }

    void remove(long key) {
      awaited.remove(key);
      drop(key);
    }

    /** Unlike get, does not make it the warmest. */
    private Long peek(long key) {
      return weights.entrySet().stream()
          .filter(each -> each.getKey() == key)
          .findFirst()
          .orElseThrow()
          .getValue();
    }

    private void drop(long key) {
      Long gone = weights.remove(key);
      used -= gone == null ? 0 : gone;
    }

    private void insert(long key, long blocks) {
      if (blocks > CAPACITY) {
        return;
      }
      Iterator<Long> coldest = weights.values().iterator();
      while (used + blocks > CAPACITY) {
        used -= coldest.next();
        coldest.remove();
      }
      weights.put(key, blocks);
      used += blocks;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void anyTrafficHitsWhatAModelHits(long seed) {
    Random random = new Random(seed);
    Model model = new Model();
    for (int step = 0; step < 5_000; step++) {
      long key = random.nextInt(60) * 0x9E3779B97F4A7C15L;
      // The weight of a key stays, except for a few that are stored again.
      long blocks = 1L + Math.floorMod(key, 3) + (random.nextInt(20) == 0 ? 1 : 0);
      switch (random.nextInt(10)) {
        case 0 -> {
          cache.remove(key, RemovalCause.DELETED);
          model.remove(key);
        }
        case 1, 2, 3 -> {
          cache.store(key, blocks, ANY);
          model.store(key, blocks);
        }
        default -> {
          boolean liveHit = random.nextBoolean();
          assertThat(cache.access(liveHit, key, blocks, ANY))
              .as("step %d", step)
              .isEqualTo(model.access(liveHit, key, blocks));
        }
      }
      assertThat(cache.entries()).as("step %d", step).isEqualTo(model.weights.size());
      cache.checkSize();
    }
    model.weights.forEach(
        (key, blocks) -> assertThat(cache.weight(key)).isEqualTo(blocks.intValue()));
  }

  @Test
  void aRequestMatchesThePrefixThatIsCached() {
    assertThat(request(1, 2, 3)).isZero();
    assertThat(request(1, 2, 3)).isEqualTo(3);
    assertThat(request(1, 2, 4)).isEqualTo(2);
    assertThat(request(2, 3)).as("a block counts only behind the blocks before it").isZero();
    assertThat(cache.entries()).isGreaterThanOrEqualTo(4);
    assertThat(request()).isZero();
  }

  private int request(long... keys) {
    cache.begin(ANY, -1, -1, false, null);
    long chained = 0;
    for (long key : keys) {
      chained = (chained + key) * 0x9E3779B97F4A7C15L;
      cache.add(chained, 1, true, false, false);
    }
    return cache.run();
  }

  /** Runs a request of objects of two blocks, of which this many were in a known order. */
  private int guessed(int ordered, long... keys) {
    cache.begin(ANY, -1, -1, true, null);
    for (int i = 0; i < keys.length; i++) {
      cache.add(keys[i], 2, i < ordered, false, false);
    }
    int matched = cache.run();
    cache.checkSize();
    return matched;
  }

  private int objects(long... keys) {
    return guessed(keys.length, keys);
  }

  @Test
  void aRequestOfObjectsMatchesAPrefixAndIsEvictedFromItsEnd() {
    assertThat(objects(1, 2, 3)).isZero();
    assertThat(cache.hitBlocks()).isZero();
    assertThat(cache.weight(3)).isEqualTo(2);
    assertThat(objects(1, 2, 4)).isEqualTo(2);
    assertThat(cache.hitBlocks()).isEqualTo(4);
    for (long key = 100; cache.weight(3) > 0; key++) {
      cache.store(key, 1, ANY);
    }
    assertThat(cache.weight(4)).as("used after 3").isEqualTo(2);
    assertThat(objects(1, 2, 3, 5)).isEqualTo(2);
    assertThat(objects(1, 2, 3, 5)).isEqualTo(4);
  }

  @Test
  void aGuessedOrderIsCorrectedByALaterRequest() {
    guessed(1, 1, 4, 3, 2);
    assertThat(objects(1, 2, 3, 4)).as("all are there").isEqualTo(4);
    for (long key = 100; cache.weight(4) > 0; key++) {
      cache.store(key, 1, ANY);
    }
    assertThat(objects(1, 2, 3)).as("4 was evicted first").isEqualTo(3);
    // A wrong order that was taken for known is corrected too.
    objects(10, 13, 12, 11);
    objects(10, 11, 12, 13);
    for (long key = 200; cache.weight(13) > 0; key++) {
      cache.store(key, 1, ANY);
    }
    assertThat(objects(10, 11, 12)).isEqualTo(3);
    // The first object was below the last one.
    objects(23, 21, 22);
    assertThat(objects(21, 22, 23)).isEqualTo(3);
    for (long key = 300; cache.weight(23) > 0; key++) {
      cache.store(key, 1, ANY);
    }
    assertThat(objects(21, 22)).isEqualTo(2);
  }

  @Test
  void aRequestThatBeginsInTheMiddleLeavesTheChain() {
    objects(1, 2, 3);
    assertThat(objects(2, 3)).isEqualTo(2);
    cache.store(5, CAPACITY - 6, ANY);
    cache.access(true, 2, 2, ANY);
    cache.access(true, 3, 2, ANY);
    cache.store(6, 1, ANY);
    assertThat(cache.weight(1)).as("it has children").isEqualTo(2);
  }

  @Test
  void aPartOfARequestCountsWhatIsNewInIt() {
    objects(1, 2);
    cache.begin(ANY, -1, -1, true, null);
    cache.add(1, 2, true, false, false);
    cache.add(2, 2, true, false, false);
    cache.add(3, 0, true, false, false);
    assertThat(cache.run()).isEqualTo(2);
    assertThat(cache.weight(3)).as("its size is not known yet").isZero();
    cache.begin(ANY, -1, -1, true, null);
    cache.add(1, 2, true, true, true);
    cache.add(2, 2, true, true, true);
    cache.add(3, 2, true, true, false);
    cache.add(4, 2, true, false, false);
    assertThat(cache.run()).isZero();
    cache.checkSize();
    assertThat(objects(1, 2, 3, 4)).isEqualTo(4);
  }

  @Test
  void anObjectInTheMiddleIsRemovedAlone() {
    objects(1, 2, 3);
    cache.remove(2, RemovalCause.DELETED);
    assertThat(cache.entries()).isEqualTo(2);
    assertThat(objects(1, 2, 3)).isOne();
    assertThat(objects(1, 2, 3)).isEqualTo(3);
    cache.store(1, 3, ANY);
    assertThat(cache.weight(1)).isEqualTo(3);
    assertThat(cache.entries()).isEqualTo(3);
  }

  @Test
  void anObjectThatWeighsMoreStaysInItsChain() {
    objects(1, 2);
    cache.reweigh(1, 20);
    assertThat(cache.weight(1)).isEqualTo(20);
    cache.reweigh(1, 4);
    cache.reweigh(9, 4);
    assertThat(cache.weight(9)).isZero();
    cache.store(5, CAPACITY - 6, ANY);
    assertThat(cache.weight(2)).isEqualTo(2);
    cache.access(true, 2, 2, ANY);
    cache.store(6, 1, ANY);
    assertThat(cache.weight(1)).as("it has a child").isEqualTo(4);
    cache.reweigh(2, CAPACITY);
    assertThat(cache.weight(2)).isZero();
    assertThat(cache.weight(1)).isEqualTo(4);
    cache.checkSize();
  }

  @Test
  void itStartsWithTheChainsOfTheLiveCache() {
    List<Resident> residents =
        List.of(
            new Resident(1, 10, ANY, 0, 9, null, null),
            new Resident(2, 10, ANY, 1, 8, 1L, null),
            new Resident(3, 10, ANY, 2, 7, 2L, null),
            new Resident(4, 10, ANY, 3, 6, 3L, null),
            new Resident(9, 30, ANY, 0, 1, null, null));
    Map<Long, Resident> sample =
        residents.stream().collect(Collectors.toMap(Resident::key, each -> each));
    cache.seed(residents, sample);
    cache.checkSize();
    assertThat(cache.entries()).as("9 is the coldest, and has no room").isEqualTo(4);
    cache.access(true, 4, 10, ANY);
    cache.store(5, 20, ANY);
    assertThat(cache.weight(1)).as("it has children").isEqualTo(10);
    assertThat(cache.weight(4)).isZero();
    // A group does not have all entries of a chain.
    use(lru(CAPACITY, null));
    cache.seed(List.of(residents.get(0), residents.get(2)), sample);
    cache.access(true, 3, 10, ANY);
    cache.store(5, 40, ANY);
    assertThat(cache.weight(1)).isEqualTo(10);
    assertThat(cache.weight(3)).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void anyRequestsLeaveTheCacheSound(long seed) {
    Random random = new Random(seed);
    for (int step = 0; step < 3_000; step++) {
      long[] keys = new long[1 + random.nextInt(12)];
      Arrays.setAll(keys, i -> random.nextInt(8) == 0 ? random.nextInt(40) : i);
      switch (random.nextInt(8)) {
        case 0 -> cache.remove(keys[0], RemovalCause.EXPIRED);
        case 1 -> cache.store(keys[0], 1L + random.nextInt(3), ANY);
        case 7 -> cache.reweigh(keys[0], 1L + random.nextInt(9));
        case 2 -> cache.access(random.nextBoolean(), keys[0], 2, ANY);
        default -> {
          int counted = random.nextInt(keys.length + 1);
          int used = random.nextInt(counted + 1);
          int ordered = random.nextInt(keys.length + 1);
          cache.begin(ANY, -1, -1, true, null);
          for (int i = 0; i < keys.length; i++) {
            cache.add(keys[i], random.nextInt(4), i < ordered, i < counted, i < used);
          }
          assertThat(cache.run()).isBetween(0, keys.length - counted);
        }
      }
      cache.checkSize();
    }
    cache.clear();
    assertThat(cache.entries()).as("nothing stays pinned").isZero();
    cache.store(1, CAPACITY, ANY);
    assertThat(cache.weight(1)).as("nothing stays reserved").isEqualTo(CAPACITY);
  }

  @Test
  void aRefillLeavesTheEntryThatTheShadowKept() {
    cache.store(1, 1, ANY);
    cache.store(2, 1, ANY);
    // The live cache misses 1, which this one has; its client stores the value again.
    assertThat(cache.access(false, 1, 0, ANY)).isTrue();
    cache.access(true, 2, 1, ANY);
    cache.store(1, 1, ANY);
    for (long key = 100; key < 100 + CAPACITY - 1; key++) {
      cache.store(key, 1, ANY);
    }
    assertThat(cache.weight(1)).as("1 was used before 2, and the refill is no use").isZero();
    assertThat(cache.weight(2)).isOne();
  }

  @Test
  void aValueOfAnotherSizeReplacesTheEntry() {
    cache.store(1, 2, ANY);
    cache.store(1, 5, ANY);
    assertThat(cache.weight(1)).isEqualTo(5);
    assertThat(cache.entries()).isOne();
  }

  @Test
  void aValueLargerThanTheCacheIsNotCached() {
    cache.store(1, 1, ANY);
    cache.store(2, CAPACITY + 1, ANY);
    assertThat(cache.weight(2)).isZero();
    assertThat(cache.weight(1)).isOne();
  }

  @Test
  void anAppendedBlockIsSharedIfItIsThere() {
    cache.append(1, ANY);
    cache.append(1, ANY);
    assertThat(cache.entries()).isOne();
  }

  @Test
  void clearingRemovesEverything() {
    for (long key = 0; key < CAPACITY; key++) {
      cache.store(key, 1, ANY);
    }
    cache.clear();
    assertThat(cache.entries()).isZero();
    cache.checkSize();
    cache.store(1, 1, ANY);
    assertThat(cache.entries()).isOne();
  }

  @Test
  void evictionRunsAheadWithTheLimitsOfTheLiveCache() {
    use(lru(100, new EvictionLimits(0.9, 0.5, Duration.ofSeconds(1))));
    for (long key = 0; key < 90; key++) {
      cache.store(key, 1, ANY);
    }
    assertThat(cache.entries()).isEqualTo(90);
    cache.store(90, 1, ANY);
    assertThat(cache.entries()).isEqualTo(50);
    assertThat(cache.weight(90)).isOne();
  }

  private static final SizedGroups STATES = ObjectGroups.parseSized("groups", "full:1,state:3");

  private int prompt(SizedGroups groups, long... keys) {
    cache.begin(ANY, -1, -1, true, groups);
    for (long key : keys) {
      cache.add(key, 1, true, false, false);
    }
    return cache.run();
  }

  @ParameterizedTest
  @CsvSource({
    "full:1;state:3, 1",
    "full:1;state:3, 2",
    "full:2;window=3:1, 3",
    "state:1;full:1;window=2:2, 4"
  })
  void aPromptOfAHybridModelHitsWhatACacheOfItsObjectsHits(String text, long seed) {
    SizedGroups groups = ObjectGroups.parseSized("groups", text.replace(';', ','));
    int capacity = 30 * groups.whole();
    use(lru(capacity, null));
    InlineBlockCache live =
        new InlineBlockCache(capacity, () -> 0, new GhostWindow(1), OnFault.FAIL);
    Random random = new Random(seed);
    List<long[]> prompts = new ArrayList<>();
    CacheRequest request = new CacheRequest();
    long hits = 0;
    for (int step = 0; step < 3_000; step++) {
      long[] keys = fork(random, prompts);
      request.reset(ANY, -1);
      request.groups(groups);
      Arrays.stream(keys).forEach(request::add);
      int matched = live.begin(request);
      live.admit(request);
      live.finish(request);
      hits += matched;
      assertThat(prompt(groups, keys)).as("step %d", step).isEqualTo(matched);
      assertThat(cache.entries()).isEqualTo(live.residentEntries());
      cache.checkSize();
    }
    assertThat(hits).isPositive();
    assertThat(live.thinned().entries()).isPositive();
  }

  /** A prompt that forks from an earlier one at a random depth. */
  private static long[] fork(Random random, List<long[]> prompts) {
    long[] from = prompts.isEmpty() ? new long[0] : prompts.get(random.nextInt(prompts.size()));
    int common = random.nextInt(from.length + 1);
    long[] keys = Arrays.copyOf(from, common + 1 + random.nextInt(5));
    for (int i = common; i < keys.length; i++) {
      keys[i] = random.nextLong();
    }
    prompts.add(keys);
    if (prompts.size() > 15) {
      prompts.remove(random.nextInt(15));
    }
    return keys;
  }

  @Test
  void whatAnEarlierPartOfAPromptHasCountedIsNotCountedAgain() {
    use(lru(100, null));
    assertThat(prompt(STATES, 1, 2, 3)).isZero();
    cache.begin(ANY, -1, -1, true, STATES);
    cache.add(1, 4, true, true, true);
    cache.add(2, 4, true, true, true);
    cache.add(3, 4, true, true, true);
    cache.add(4, 4, true, false, false);
    assertThat(cache.run()).isZero();
    assertThat(prompt(STATES, 1, 2, 3, 4, 5)).isEqualTo(4);
    assertThat(cache.hitBlocks()).as("there is room for all states").isEqualTo(4 * 4);
  }

  @Test
  void aChunkThatWasNeverStoredIsNotCached() {
    use(lru(100, null));
    cache.begin(ANY, -1, -1, true, STATES);
    cache.add(1, 4, true, false, false);
    cache.add(2, 0, true, false, false);
    assertThat(cache.run()).isZero();
    assertThat(cache.entries()).isOne();
    assertThat(prompt(STATES, 1, 2)).isOne();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void promptsInAnyOrderLeaveTheCacheSound(long seed) {
    Random random = new Random(seed);
    use(lru(60, null));
    SizedGroups others = ObjectGroups.parseSized("groups", "full:1,window=2:1");
    for (int step = 0; step < 3_000; step++) {
      long[] keys = new long[1 + random.nextInt(12)];
      Arrays.setAll(keys, i -> random.nextInt(8) == 0 ? random.nextInt(40) : i);
      switch (random.nextInt(10)) {
        case 0 -> cache.remove(keys[0], RemovalCause.EXPIRED);
        case 1 -> cache.access(random.nextBoolean(), keys[0], 2, ANY);
        case 2 -> cache.store(keys[0], 1L + random.nextInt(3), ANY);
        case 3 -> objects(keys);
        case 4 -> prompt(others, keys);
        default -> assertThat(prompt(STATES, keys)).isBetween(0, keys.length);
      }
      cache.checkSize();
    }
    cache.clear();
    assertThat(cache.entries()).as("nothing stays pinned").isZero();
    cache.store(1, 60, ANY);
    assertThat(cache.weight(1)).as("nothing stays reserved").isEqualTo(60);
  }

  @Test
  void itStartsWithTheObjectsOfTheLiveCache() {
    use(lru(40, null));
    SizedGroups both = STATES;
    SizedGroups fullOnly = new SizedGroups(STATES.groups(), List.of(1, 0));
    List<Resident> residents =
        List.of(
            new Resident(1, 1, ANY, 0, 9, null, fullOnly),
            new Resident(2, 1, ANY, 1, 8, 1L, fullOnly),
            new Resident(3, 4, ANY, 2, 7, 2L, both),
            new Resident(8, 4, ANY, 5, 6, 7L, both));
    Map<Long, Resident> sample =
        residents.stream().collect(Collectors.toMap(Resident::key, each -> each));
    cache.seed(residents, sample);
    cache.checkSize();
    assertThat(cache.entries()).as("what is before 8 is missing").isEqualTo(3);
    assertThat(prompt(STATES, 1, 2, 9)).as("no state there").isZero();
    assertThat(prompt(STATES, 1, 2, 3, 4)).isEqualTo(3);
  }

  /** Holds one entry more than it was given. */
  private static final class Miscounts extends DelegatingPolicy<Entry> {

    Miscounts() {
      super(new NoEviction());
    }

    @Override
    public long size() {
      return super.size() == 0 ? 0 : super.size() + 1;
    }
  }

  @Test
  void aPolicyThatMiscountsIsFound() {
    use(
        new CacheSimulation(
            new PolicyCandidate("miscounts", new Miscounts()), CAPACITY, () -> 0, null));
    cache.store(1, 1, ANY);
    assertThatThrownBy(cache::checkSize).hasMessage("size() is 2, and 1 entries are resident");
    cache.remove(1, RemovalCause.DELETED);
  }
}
