package dev.ebb.host.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.testing.Histories;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories of several running requests, held against a naive account of who is resident.
 */
class BlockCacheModelTest {

  private static final int STEPS = Histories.times(5_000);

  private final Map<CacheEntry, Integer> pins = new HashMap<>();
  private final Set<CacheEntry> resident = new HashSet<>();

  /** Filled by running requests, and perhaps published since. */
  private final Set<CacheEntry> filled = new HashSet<>();

  private final List<CacheRequest> running = new ArrayList<>();
  private final Set<CacheRequest> begun = new HashSet<>();
  private final List<CacheEntry> pinned = new ArrayList<>();
  private long adoptions;
  private long matchedBeforePublication;
  private long now;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void anyHistoryKeepsTheRules(long seed) {
    Random random = new Random(seed);
    InlineBlockCache cache =
        new InlineBlockCache(20 + random.nextInt(60), () -> now, new GhostWindow(64), OnFault.FAIL);
    if (seed % 2 == 0) {
      cache.respectPriority();
    }
    StrictPolicy policy = new StrictPolicy(random);
    cache.install("strict", policy);
    cache.watch(this::follow);

    for (int step = 0; step < STEPS; step++) {
      now += random.nextInt(3);
      switch (random.nextInt(14)) {
        case 0, 1, 2, 3, 4 -> begin(cache, random);
        case 5, 6 -> finishOne(cache, random);
        case 10, 11 -> fillOne(cache, random);
        case 7 -> pinOrUnpin(cache, random);
        case 8 -> removeOne(cache, random);
        case 12, 13 -> useOne(cache, random);
        default -> resizeOrEvict(cache, random);
      }
      check(cache, policy);
    }
    while (!running.isEmpty()) {
      finishOne(cache, random);
    }
    for (CacheEntry entry : pinned) {
      adjust(entry, -1);
      cache.unpin(entry);
    }
    assertThat(adoptions).isPositive();
    assertThat(matchedBeforePublication).isPositive();
    assertThat(cache.evictableBlocks()).isEqualTo(cache.residentBlocks());
    long all = cache.residentBlocks();
    assertThat(cache.evictTo(0, Demand.Reason.MANUAL)).isEqualTo(all);
    assertThat(cache.residentBlocks()).isZero();
    assertThat(policy.size()).isZero();
  }

  private void begin(BlockCache cache, Random random) {
    if (running.size() == 4) {
      finishOne(cache, random);
    }
    CacheRequest request = new CacheRequest();
    request.reset(ProtectedEntriesTest.facts(random.nextInt(3)), 100);
    long key = 1;
    int length = 1 + random.nextInt(12);
    for (int i = 0; i < length; i++) {
      key = key * 31 + random.nextInt(i == 0 ? 2 : 3);
      request.add(key, ~key);
    }
    int expected = 0;
    while (expected < length && isFilled(request.keyLow(expected))) {
      expected++;
    }
    assertThat(cache.begin(request)).isEqualTo(expected);
    matchedBeforePublication +=
        path(request, expected).stream().filter(entry -> !entry.published()).count();
    for (int i = 0; i < request.held(); i++) {
      pins.merge(request.entry(i), 1, Integer::sum);
    }
    running.add(request);
    if (random.nextBoolean()) {
      admit(cache, request);
    } else {
      begun.add(request);
    }
  }

  /** Runs a request for the first block of others, or for one that is never followed by another. */
  private void useOne(InlineBlockCache cache, Random random) {
    CacheRequest request = new CacheRequest();
    request.reset(ProtectedEntriesTest.facts(random.nextInt(3)), 16);
    long key = 31 + random.nextInt(6);
    request.add(key, ~key);
    CacheEntry before = cache.find(key, ~key);
    int accesses = before == null ? 1 : before.accesses() + (before.published() ? 1 : 0);
    boolean expected = isFilled(key);
    boolean hasSpace =
        cache.residentBlocks() + 1 - cache.capacityBlocks() <= cache.evictableBlocks();

    assertThat(cache.use(request)).isEqualTo(expected);

    CacheEntry after = cache.find(key, ~key);
    assertThat(after != null).isEqualTo(before != null || hasSpace);
    if (after != null) {
      assertThat(after.accesses()).isEqualTo(accesses);
    }
  }

  /** Others publish and make blocks between the two steps of such a request. */
  private void extendAndAdmit(BlockCache cache, CacheRequest request, Random random) {
    for (int more = random.nextInt(4); more > 0; more--) {
      int last = request.blocks() - 1;
      long key = request.keyLow(last) * 31 + random.nextInt(3);
      cache.extend(request, key, ~key);
    }
    admit(cache, request);
  }

  private void admit(BlockCache cache, CacheRequest request) {
    Set<Long> making = new HashSet<>();
    running.forEach(other -> {
      for (int i = 0; i < other.held(); i++) {
        making.add(other.keyLow(i));
      }
    });
    making.removeIf(this::isFilled);
    int before = request.admitted();
    int matched = request.held();
    int adopted = matched;
    while (adopted < request.blocks() && isFilled(request.keyLow(adopted))) {
      adopted++;
    }
    boolean leftToOther = adopted < request.blocks() && making.contains(request.keyLow(adopted));
    long residents = cache.residentBlocks();

    int admitted = cache.admit(request) - before;

    assertThat(cache.residentBlocks())
        .isLessThanOrEqualTo(Math.max(residents, cache.capacityBlocks()));
    assertThat(admitted).isBetween(adopted - matched, request.blocks() - matched);
    assertThat(leftToOther && admitted != adopted - matched).isFalse();
    if (!leftToOther && admitted < request.blocks() - matched) {
      assertThat(cache.residentBlocks()).isGreaterThanOrEqualTo(cache.capacityBlocks());
    }
    for (int i = 0; i < request.held(); i++) {
      assertThat(request.filled(i)).isEqualTo(isFilled(request.keyLow(i)));
      assertThat(request.filled(i)).isEqualTo(i < adopted);
      assertThat(request.entry(i).keyLow).isEqualTo(request.keyLow(i));
      if (i >= matched) {
        pins.merge(request.entry(i), 1, Integer::sum);
      }
    }
    adoptions += adopted - matched;
  }

  private boolean isFilled(long key) {
    return resident.stream().anyMatch(entry -> entry.keyLow == key)
        || filled.stream().anyMatch(entry -> entry.keyLow == key);
  }

  /** Fills what a running request has admitted; then it may admit more. */
  private void fillOne(BlockCache cache, Random random) {
    List<CacheRequest> admitted =
        running.stream().filter(request -> !begun.contains(request)).toList();
    if (admitted.isEmpty()) {
      return;
    }
    CacheRequest request = admitted.get(random.nextInt(admitted.size()));
    cache.filled(request);
    filled.addAll(path(request, request.held()));
    if (random.nextBoolean()) {
      extendAndAdmit(cache, request, random);
    }
  }

  private void finishOne(BlockCache cache, Random random) {
    if (running.isEmpty()) {
      return;
    }
    CacheRequest request = running.remove(random.nextInt(running.size()));
    if (begun.remove(request) && random.nextInt(4) > 0) {
      running.add(request);
      extendAndAdmit(cache, request, random);
      running.remove(request);
    }
    List<Integer> accesses = new ArrayList<>();
    for (int i = 0; i < request.held(); i++) {
      pins.merge(request.entry(i), -1, Integer::sum);
      accesses.add(request.entry(i).accesses());
    }
    int used = request.held();
    List<Boolean> published = new ArrayList<>();
    for (int i = 0; i < used; i++) {
      published.add(request.entry(i).published());
    }
    List<CacheEntry> path = path(request, used);
    cache.finish(request);
    for (int i = 0; i < used; i++) {
      assertThat(path.get(i).accesses()).isEqualTo(accesses.get(i) + (published.get(i) ? 1 : 0));
    }
  }

  private void pinOrUnpin(BlockCache cache, Random random) {
    if (!pinned.isEmpty() && (random.nextBoolean() || pinned.size() > 3)) {
      CacheEntry entry = pinned.remove(random.nextInt(pinned.size()));
      adjust(entry, -1);
      cache.unpin(entry);
    } else if (!resident.isEmpty()) {
      CacheEntry entry = any(random);
      adjust(entry, 1);
      pinned.add(entry);
      cache.pin(entry);
    }
  }

  private void adjust(CacheEntry entry, int by) {
    for (CacheEntry on = entry; on != null; on = on.parent) {
      pins.merge(on, by, Integer::sum);
    }
  }

  private void removeOne(BlockCache cache, Random random) {
    if (!resident.isEmpty()) {
      CacheEntry entry = any(random);
      boolean evictable = entry.evictable();
      assertThat(cache.remove(entry, RemovalCause.DELETED)).isEqualTo(evictable);
      assertThat(cache.remove(entry, RemovalCause.DELETED)).isFalse();
      assertThat(entry.resident()).isEqualTo(!evictable);
    }
  }

  private void resizeOrEvict(BlockCache cache, Random random) {
    if (random.nextBoolean()) {
      cache.resize(10 + random.nextInt(70));
    } else {
      long possible = cache.evictableBlocks();
      long asked = random.nextInt(10);
      assertThat(cache.evict(asked, Demand.Reason.MANUAL, RequestFacts.UNKNOWN))
          .isEqualTo(Math.min(asked, possible));
    }
  }

  private CacheEntry any(Random random) {
    List<CacheEntry> all = new ArrayList<>(resident);
    all.sort((a, b) -> Long.compare(a.createdTick(), b.createdTick()));
    return all.get(random.nextInt(all.size()));
  }

  private void follow(EventBatch batch) {
    for (int i = 0; i < batch.size(); i++) {
      switch (batch.kind(i)) {
        case INSERTED -> assertThat(resident.add(batch.entry(i))).isTrue();
        case ACCESSED, RELEASED -> assertThat(resident).contains(batch.entry(i));
        case REMOVED -> {
          CacheEntry entry = batch.entry(i);
          assertThat(resident.remove(entry)).isTrue();
          filled.remove(entry);
          assertThat(pins.getOrDefault(entry, 0)).as("pins of a removed entry").isZero();
          assertThat(resident).as("no orphan").noneMatch(other -> other.parent == entry);
        }
        default -> {}
      }
    }
  }

  private void check(BlockCache cache, StrictPolicy policy) {
    Set<CacheEntry> held = new HashSet<>(resident);
    running.forEach(request -> held.addAll(path(request, request.held())));
    long unpinned = held.stream().filter(entry -> pins.getOrDefault(entry, 0) == 0).count();
    assertThat(cache.residentBlocks()).isEqualTo(held.size());
    assertThat(cache.evictableBlocks()).isEqualTo(unpinned);
    assertThat(policy.size()).isEqualTo(resident.size());
    CacheCheck damage = new CacheCheck(cache.state());
    assertThat(damage.entries(0, Integer.MAX_VALUE)).isNull();
    assertThat(damage.sums()).isNull();
    for (CacheEntry entry : resident) {
      assertThat(cache.find(entry.keyLow, entry.keyHigh)).isSameAs(entry);
      assertThat(entry.parent == null || held.contains(entry.parent)).isTrue();
    }
  }

  private static List<CacheEntry> path(CacheRequest request, int entries) {
    return IntStream.range(0, entries).mapToObj(request::entry).toList();
  }
}
