package dev.ebb.host.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.ChunkParts;
import dev.ebb.host.cache.index.RemovalListener;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.testing.Histories;
import dev.ebb.spi.RemovalCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HybridCacheTest {

  private static final SizedGroups STATES = ObjectGroups.parseSized("groups", "full:1,state:1");

  /** What a cache holds, as told by its removals and by what requests have added. */
  private static final class Shadow implements RemovalListener {

    final Map<Long, Set<Integer>> groups = new HashMap<>();
    int thinned;

    @Override
    public void removed(CacheEntry entry, RemovalCause cause) {
      assertThat(groups.remove(entry.fingerprint())).isNotNull();
    }

    @Override
    public boolean thins(CacheEntry entry, int group) {
      // The request that has added it may still run: then it is not known here yet.
      groups.getOrDefault(entry.fingerprint(), new HashSet<>()).remove(group);
      thinned++;
      return true;
    }

    void holds(CacheEntry entry) {
      ChunkParts parts = entry.parts();
      Set<Integer> held = groups.computeIfAbsent(entry.fingerprint(), any -> new HashSet<>());
      for (int group = 0; group < parts.groups().size(); group++) {
        if (parts.has(group)) {
          held.add(group);
        } else {
          assertThat(held).doesNotContain(group);
        }
      }
    }

    int usable(ObjectGroups of, List<Long> keys) {
      int usable = 0;
      for (int length = 1; length <= keys.size(); length++) {
        boolean served = true;
        for (int group = 0; group < of.size(); group++) {
          int needed = of.isFull(group) ? length : Math.min(length, of.window(group));
          for (int back = 1; back <= needed; back++) {
            served &= groups.getOrDefault(keys.get(length - back), Set.of()).contains(group);
          }
        }
        usable = served ? length : usable;
      }
      return usable;
    }

    /** The weight of objects that belong to no prefix that all groups can serve. */
    long useless(BlockCache cache, SizedGroups sized) {
      Map<Long, Set<Integer>> useful = new HashMap<>();
      for (int slot = 0; slot < 512; slot++) {
        List<Long> path = new ArrayList<>();
        for (CacheEntry on = cache.at(slot); on != null; on = on.parent()) {
          path.addFirst(on.fingerprint());
        }
        if (!path.isEmpty() && usable(sized.groups(), path) == path.size()) {
          for (int group = 0; group < sized.groups().size(); group++) {
            int window = sized.groups().window(group);
            int from = sized.groups().isFull(group) ? 0 : Math.max(0, path.size() - window);
            for (Long key : path.subList(from, path.size())) {
              useful.computeIfAbsent(key, any -> new HashSet<>()).add(group);
            }
          }
        }
      }
      return groups.entrySet().stream()
          .flatMap(held ->
              held.getValue().stream()
                  .filter(group -> !useful.getOrDefault(held.getKey(), Set.of()).contains(group)))
          .mapToLong(group -> sized.weights().get(group))
          .sum();
    }

    long weight(SizedGroups sized) {
      return groups.values().stream()
          .flatMap(Set::stream)
          .mapToLong(group -> sized.weights().get(group))
          .sum();
    }
  }

  private static InlineBlockCache cache(long capacity) {
    long[] now = {0};
    return new InlineBlockCache(capacity, () -> ++now[0], new GhostWindow(1_024), OnFault.FAIL);
  }

  private static CacheRequest request(SizedGroups sized, List<Long> keys) {
    CacheRequest request = new CacheRequest();
    request.reset(RequestFacts.UNKNOWN, -1);
    request.groups(sized);
    keys.forEach(request::add);
    return request;
  }

  private static int run(BlockCache cache, SizedGroups sized, List<Long> keys) {
    CacheRequest request = request(sized, keys);
    int matched = cache.begin(request);
    cache.admit(request);
    cache.finish(request);
    return matched;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "full:1,state:3",
        "full:2,window=3:1",
        "state:1,full:1,window=2:2,full:1",
        "full:1",
        "full:1,state:1,state:4"
      })
  void hitsWhatANaiveModelOfItsObjectsCanUse(String groups) {
    SizedGroups sized = ObjectGroups.parseSized("groups", groups);
    for (int seed = 0; seed < Histories.times(8); seed++) {
      Random random = new Random(seed);
      long capacity = sized.whole() * (8L + random.nextInt(60));
      InlineBlockCache cache = cache(capacity);
      Shadow shadow = new Shadow();
      cache.onRemoval(shadow);
      PartPolicy.Chooses policy = new PartPolicy.Chooses(capacity, new Random(seed));
      if (seed % 2 == 1) {
        cache.install("parts", policy);
      }
      UselessObjects useless = new UselessObjects(cache, entry -> true);
      long uselessSeen = 0;
      List<List<Long>> prompts = new ArrayList<>();
      List<CacheRequest> running = new ArrayList<>();
      for (int step = 0; step < 2_000; step++) {
        if (!running.isEmpty() && (running.size() == 3 || random.nextBoolean())) {
          finish(cache, running.remove(random.nextInt(running.size())), shadow);
        } else {
          List<Long> keys = prompt(random, prompts);
          CacheRequest request = request(sized, keys);
          assertThat(cache.begin(request)).isEqualTo(shadow.usable(sized.groups(), keys));
          cache.admit(request);
          for (int i = 0; i < request.held(); i++) {
            shadow.holds(request.entry(i));
          }
          cache.filled(request);
          running.add(request);
        }
        check(cache, sized, shadow);
        if (running.isEmpty()) {
          useless.step(Integer.MAX_VALUE);
          useless.step(Integer.MAX_VALUE);
          assertThat(useless.blocks()).isEqualTo(shadow.useless(cache, sized));
          uselessSeen += useless.blocks();
        }
      }
      running.forEach(request -> finish(cache, request, shadow));
      check(cache, sized, shadow);
      assertThat(cache.evictableBlocks()).isEqualTo(cache.residentBlocks());
      assertThat(cache.thinned().entries()).isEqualTo(shadow.thinned);
      if (!sized.groups().areFull()) {
        assertThat(shadow.thinned).isPositive();
        assertThat(policy.chosen > 0 && policy.wrong > 0).isEqualTo(seed % 2 == 1);
      }
      assertThat(cache.stats().faults().getOrDefault(PolicyFault.Kind.CHOSE_WRONG_PART, 0L))
          .isEqualTo(policy.wrong);
      assertThat(cache.policyName()).isEqualTo(seed % 2 == 1 ? "parts" : BuiltInLru.NAME);
      if (groups.contains("window")) {
        assertThat(uselessSeen).isPositive();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"full:1,state:3", "full:2,window=3:1", "full:1"})
  void aPolicyThatAgreesWithTheHostChangesNothing(String groups) {
    SizedGroups sized = ObjectGroups.parseSized("groups", groups);
    PartPolicy.Agrees agrees = new PartPolicy.Agrees(200);
    List<InlineBlockCache> caches = List.of(cache(200), cache(200));
    List<Shadow> shadows = List.of(new Shadow(), new Shadow());
    for (int i = 0; i < 2; i++) {
      caches.get(i).onRemoval(shadows.get(i));
    }
    caches.get(0).install("plain", new PartPolicy(200));
    caches.get(1).install("agrees", agrees);
    Random random = new Random(1);
    List<List<Long>> prompts = new ArrayList<>();
    for (int step = 0; step < 2_000; step++) {
      List<Long> keys = prompt(random, prompts);
      for (int i = 0; i < 2; i++) {
        CacheRequest request = request(sized, keys);
        caches.get(i).begin(request);
        caches.get(i).admit(request);
        finish(caches.get(i), request, shadows.get(i));
      }
      assertThat(shadows.get(1).groups).isEqualTo(shadows.get(0).groups);
    }
    assertThat(agrees.proposals > 0).isEqualTo(!sized.groups().areFull());
    assertThat(caches.get(1).stats().faults()).isEmpty();
  }

  @Test
  void aPolicyOnItsOwnThreadChoosesObjects() {
    ReentrantLock lock = new ReentrantLock();
    EvictionLimits limits = new EvictionLimits(0.95, 0.9, Duration.ofSeconds(30));
    PartPolicy.Chooses policy = new PartPolicy.Chooses(200, new Random(2));
    lock.lock();
    try (ThreadedBlockCache cache =
        new ThreadedBlockCache(200, System::nanoTime, new GhostWindow(64), limits, lock)) {
      Shadow shadow = new Shadow();
      cache.onRemoval(shadow);
      cache.install("parts", policy);
      Random random = new Random(3);
      List<List<Long>> prompts = new ArrayList<>();
      for (int step = 0; step < 3_000; step++) {
        List<Long> keys = prompt(random, prompts);
        CacheRequest request = request(STATES, keys);
        assertThat(cache.begin(request)).isEqualTo(shadow.usable(STATES.groups(), keys));
        cache.admit(request);
        for (int i = 0; i < request.held(); i++) {
          shadow.holds(request.entry(i));
        }
        finish(cache, request, shadow);
        check(cache, STATES, shadow);
      }
      assertThat(cache.policyName()).isEqualTo("parts");
      assertThat(cache.stats().faults()).containsOnlyKeys(PolicyFault.Kind.CHOSE_WRONG_PART);
      assertThat(policy.chosen).isPositive();
    } finally {
      lock.unlock();
    }
  }

  private static void finish(BlockCache cache, CacheRequest request, Shadow shadow) {
    List<CacheEntry> held = new ArrayList<>();
    for (int i = 0; i < request.held(); i++) {
      held.add(request.entry(i));
    }
    cache.finish(request);
    held.stream().filter(CacheEntry::resident).forEach(shadow::holds);
  }

  private static void check(BlockCache cache, SizedGroups sized, Shadow shadow) {
    assertThat(cache.residentBlocks()).isEqualTo(shadow.weight(sized));
    assertThat(cache.residentBlocks()).isLessThanOrEqualTo(cache.capacityBlocks());
    assertThat(cache.residentEntries()).isEqualTo(shadow.groups.size());
    for (int slot = 0; slot < 512; slot++) {
      CacheEntry entry = cache.at(slot);
      if (entry != null && entry.published() && entry.evictable()) {
        assertThat(entry.parts().isWhole()).as("a prompt can go on after a leaf").isTrue();
      }
    }
  }

  private static List<Long> prompt(Random random, List<List<Long>> prompts) {
    List<Long> keys = new ArrayList<>();
    if (!prompts.isEmpty() && random.nextInt(4) > 0) {
      List<Long> before = prompts.get(random.nextInt(prompts.size()));
      keys.addAll(before.subList(0, random.nextInt(before.size() + 1)));
    }
    for (int more = 1 + random.nextInt(6); more > 0; more--) {
      keys.add(random.nextLong());
    }
    if (prompts.size() < 20) {
      prompts.add(keys);
    } else {
      prompts.set(random.nextInt(20), keys);
    }
    return keys;
  }

  /** The scenario of SGLang's issue 36935: room for all attention, and for 48 states. */
  @Test
  void statesAreThinnedSoThatEachChainKeepsSome() {
    InlineBlockCache cache = cache(3 * 16 + 12 + 48);
    List<List<Long>> chains = new ArrayList<>();
    for (long chain = 0; chain < 3; chain++) {
      List<Long> keys = new ArrayList<>();
      for (long i = 0; i < 16; i++) {
        keys.add((chain << 32 | i) * 0x9E3779B97F4A7C15L + 1);
      }
      chains.add(keys);
      assertThat(run(cache, STATES, keys)).isZero();
    }
    List<Long> fork = new ArrayList<>(chains.getFirst().subList(0, 4));
    for (long i = 4; i < 16; i++) {
      fork.add((7L << 32 | i) * 0x9E3779B97F4A7C15L + 1);
    }

    assertThat(run(cache, STATES, fork)).isEqualTo(4);
    assertThat(run(cache, STATES, chains.get(0))).isGreaterThanOrEqualTo(4);
    assertThat(run(cache, STATES, chains.get(1))).isGreaterThanOrEqualTo(8);
    assertThat(run(cache, STATES, chains.get(2))).isGreaterThanOrEqualTo(14);
    // A chain of which only a part is sent again goes on from the last state before its end.
    assertThat(run(cache, STATES, chains.get(2).subList(0, 9))).isGreaterThanOrEqualTo(6);
  }

  @Test
  void aPromptThatBranchesOffKeepsTheStateThere() {
    InlineBlockCache cache = cache(64);
    List<Long> first = List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L);
    run(cache, STATES, first);
    for (long other = 100; other < 140; other++) {
      run(cache, STATES, List.of(1L, 2L, 3L, other));
    }

    assertThat(run(cache, STATES, List.of(1L, 2L, 3L, 99L))).isEqualTo(3);
  }

  @Test
  void thePolicyThatEvictsNothingKeepsAllObjects() {
    InlineBlockCache cache = cache(24);
    cache.install(NoEviction.NAME, new NoEviction());
    Random random = new Random(3);
    List<List<Long>> prompts = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      run(cache, STATES, prompt(random, prompts));
    }
    assertThat(cache.thinned().entries()).isZero();
    assertThat(cache.evictions()).isZero();
    assertThat(cache.residentBlocks()).isGreaterThan(20);
  }

  @Test
  void aChunkWhoseStateIsMissingIsNotAHit() {
    InlineBlockCache cache = cache(8);
    run(cache, STATES, List.of(1L, 2L, 3L, 4L, 5L));
    CacheRequest request = request(STATES, List.of(1L, 2L, 3L, 4L, 9L));

    int usable = cache.begin(request);

    assertThat(usable).isEqualTo(4);
    cache.admit(request);
    cache.finish(request);
    CacheRequest early = request(STATES, List.of(1L, 8L));
    assertThat(cache.begin(early)).isZero();
    assertThat(early.unusable()).isEqualTo(1);
    cache.admit(early);
    cache.finish(early);
    assertThat(cache.unusable()).isEqualTo(1);
    assertThat(run(cache, STATES, List.of(1L, 7L))).isEqualTo(1);
  }
}
