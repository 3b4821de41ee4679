package dev.ebb.host.policy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.simulation.SimulatedClock;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.RankedBlockPolicy;
import dev.ebb.spi.RemovalCause;
import dev.ebb.testkit.BlockPolicyChecks;
import dev.ebb.testkit.Check;
import dev.ebb.testkit.CheckSettings;
import dev.ebb.testkit.TestDemand;
import dev.ebb.testkit.TestEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AutoPolicyTest {

  private static final Demand ONE = TestDemand.of(1);
  private static final int CAPACITY = 400;

  /** Evicts what was used last, which is best for a loop over more than fits. */
  private static final class Mru extends RankedBlockPolicy {

    @Override
    protected double rank(Entry entry) {
      return -entry.lastAccessTick();
    }
  }

  private static AutoPolicy auto(long capacity, PolicyClock clock, long seed) {
    List<PolicySpec> specs = List.of(PolicySpec.of("lru"), PolicySpec.of("mru"));
    List<Supplier<BlockPolicy<?>>> policies = List.of(BuiltInLru::new, Mru::new);
    List<StrategyInstance<BlockPolicy<?>>> instances = new ArrayList<>();
    List<SampledCache> samples = new ArrayList<>();
    for (int i = 0; i < specs.size(); i++) {
      String name = specs.get(i).name();
      instances.add(StrategyInstance.builtIn(name, policies.get(i).get()));
      samples.add(
          new SampledCache(
              new PolicyCandidate(name, policies.get(i).get()),
              Math.min(capacity, SampledCache.MOST_ENTRIES),
              new SimulatedClock()));
    }
    return new AutoPolicy(
        new PolicyPartition("default", capacity, clock, seed), specs, instances, samples, 0.005);
  }

  static Stream<Check> contract() {
    BlockPolicyProvider provider =
        new BlockPolicyProvider() {
          @Override
          public String name() {
            return "lru-or-mru";
          }

          @Override
          public BlockPolicy<?> create(PolicyContext context) {
            return auto(context.capacityBlocks(), context.clock(), context.random().nextLong());
          }
        };
    // Requests that wait for the sampled caches name their blocks, also those that are removed.
    return BlockPolicyChecks.of(provider, CheckSettings.defaults()).stream()
        .filter(check -> !check.name().equals("keeps ghosts of evicted entries only"));
  }

  @ParameterizedTest
  @MethodSource("contract")
  void keepsTheContractOfPolicies(Check check) {
    check.run().orThrow();
  }

  /** Runs requests of one block each, and returns the hits. */
  private static int requests(InlineBlockCache cache, int count, Supplier<Long> keys) {
    CacheRequest request = new CacheRequest();
    int hits = 0;
    for (int i = 0; i < count; i++) {
      long key = mixed(keys.get());
      request.reset(RequestFacts.UNKNOWN, -1);
      request.add(key, key);
      hits += cache.begin(request);
      cache.admit(request);
      cache.finish(request);
    }
    return hits;
  }

  private static int objects(InlineBlockCache cache, int count, Supplier<Long> keys) {
    int hits = 0;
    for (int i = 0; i < count; i++) {
      long key = mixed(keys.get());
      CacheEntry entry = cache.find(key, key);
      if (entry != null) {
        hits++;
        cache.access(entry, RequestFacts.UNKNOWN);
      } else if (cache.reserve(2, RequestFacts.UNKNOWN)) {
        cache.insert(key, key, 2, RequestFacts.UNKNOWN);
      }
    }
    return hits;
  }

  private static long mixed(long key) {
    long bits = (key + 1) * 0x9E3779B97F4A7C15L;
    bits = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
    return bits ^ bits >>> 31;
  }

  private static Supplier<Long> loop(int length) {
    int[] next = {0};
    return () -> (long) (next[0]++ % length);
  }

  /** Keys of which only the last ones are used again. */
  private static Supplier<Long> recent(Random random) {
    long[] next = {1 << 20};
    return () -> random.nextBoolean() ? next[0]++ : next[0] - random.nextInt(CAPACITY / 2);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8})
  void theBetterPolicyIsFollowed(int factor) {
    int capacity = CAPACITY * factor;
    AutoPolicy auto = auto(capacity, System::nanoTime, 1);
    InlineBlockCache cache =
        new InlineBlockCache(capacity, System::nanoTime, new GhostWindow(64), OnFault.FAIL);
    cache.install("auto", auto);

    int length = capacity * 5 / 4;
    requests(cache, 20 * length, loop(length));
    assertThat(auto.gauges()).containsEntry("chosen-mru", 1.0).containsEntry("switches", 1.0);
    assertThat(requests(cache, 4 * length, loop(length)))
        .as("the least recently used order would never hit")
        .isGreaterThan(2 * length);

    requests(cache, 60 * length, recent(new Random(1)));
    assertThat(auto.gauges()).containsEntry("chosen-lru", 1.0);
    int count = 4 * length;
    assertThat(requests(cache, count, recent(new Random(2)))).isGreaterThan(count * 45 / 100);
    cache.close();
  }

  @Test
  void objectsCountTooAndSamplesHaveTheirNumber() {
    AutoPolicy auto = auto(2 * CAPACITY, System::nanoTime, 1);
    InlineBlockCache cache =
        new InlineBlockCache(2 * CAPACITY, System::nanoTime, new GhostWindow(64), OnFault.FAIL);
    cache.install("auto", auto);
    int length = CAPACITY * 5 / 4;
    objects(cache, 20 * length, loop(length));
    assertThat(auto.gauges())
        .containsEntry("chosen-mru", 1.0)
        .containsEntry("sample-entries", (double) CAPACITY);
    assertThat(objects(cache, 4 * length, loop(length))).isGreaterThan(2 * length);
    cache.close();
  }

  /** Runs prompts of a hybrid model in turn, and returns the chunks that could be used. */
  private static long prompts(InlineBlockCache cache, int rounds, int prompts) {
    CacheRequest request = new CacheRequest();
    request.groups(ObjectGroups.parseSized("groups", "full:1,state:3"));
    long hits = 0;
    for (int i = 0; i < rounds * prompts; i++) {
      request.reset(RequestFacts.UNKNOWN, -1);
      for (int chunk = 0; chunk < 6; chunk++) {
        request.add(mixed(i % prompts * 8L + chunk));
      }
      hits += cache.begin(request);
      cache.admit(request);
      cache.finish(request);
    }
    return hits;
  }

  @ParameterizedTest
  @ValueSource(ints = {600, 8_000})
  void promptsOfHybridModelsCountByWhatCanBeUsed(int capacity) {
    AutoPolicy auto = auto(capacity, System::nanoTime, 1);
    InlineBlockCache cache =
        new InlineBlockCache(capacity, System::nanoTime, new GhostWindow(64), OnFault.FAIL);
    cache.install("auto", auto);
    // Six chunks, and the states of the last two.
    int count = capacity / 12 * 5 / 4;
    prompts(cache, 30, count);
    assertThat(auto.gauges()).containsEntry("chosen-mru", 1.0);
    double ratio = (double) prompts(cache, 10, count) / (10L * count * 6);
    prompts(cache, 10, count);
    assertThat(ratio).isGreaterThan(0.4);
    assertThat(auto.gauges().get("hit-ratio-lately-mru")).isCloseTo(ratio, within(0.1));
    assertThat(auto.gauges().get("hit-ratio-lately-lru")).isLessThan(0.1);
    cache.close();
  }

  @Test
  void anEntryThatAnotherPolicyOfferedInVainIsNotOfferedAgain() {
    AutoPolicy auto = auto(2, System::nanoTime, 1);
    AutoPolicy.Node first = auto.inserted(TestEntry.of(1));
    TestEntry last = TestEntry.of(2);
    AutoPolicy.Node second = auto.inserted(last);
    assertThat(requireNonNull(auto.victim(ONE)).fingerprint())
        .isEqualTo(TestEntry.of(1).fingerprint());
    auto.refused(first);
    assertThat(auto.victim(ONE)).isSameAs(last);
    auto.refused(second);
    assertThat(auto.victim(ONE)).isNull();
    auto.released(second);
    assertThat(auto.victim(ONE)).isSameAs(last);
    auto.removed(second, RemovalCause.EVICTED);
    auto.released(first);
    assertThat(auto.victim(ONE)).isNotNull();
    assertThat(auto.size()).isOne();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void pinsSurviveSwitches(long seed) {
    Random random = new Random(seed);
    AutoPolicy auto = auto(CAPACITY, System::nanoTime, seed);
    InlineBlockCache cache =
        new InlineBlockCache(CAPACITY, System::nanoTime, new GhostWindow(64), OnFault.FAIL);
    cache.install("auto", auto);
    List<CacheEntry> pinned = new ArrayList<>();
    int length = CAPACITY * 5 / 4;
    for (int round = 0; round < 400; round++) {
      requests(cache, length, round / 100 % 2 == 0 ? loop(length) : recent(random));
      for (int i = 0; i < 20; i++) {
        long key = mixed(random.nextInt(length));
        CacheEntry entry = cache.find(key, key);
        if (entry != null && pinned.size() < CAPACITY / 4) {
          cache.pin(entry);
          pinned.add(entry);
        }
      }
      while (!pinned.isEmpty() && random.nextInt(3) > 0) {
        cache.unpin(pinned.remove(random.nextInt(pinned.size())));
      }
    }
    assertThat(cache.lastFault()).isNull();
    assertThat(cache.policySize()).isEqualTo(cache.residentEntries());
    assertThat(requireNonNull(Map.copyOf(auto.gauges()).get("switches"))).isGreaterThan(1);
    cache.close();
  }
}
