package dev.ebb.host.shadow;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.shadow.ShadowReport.State;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RankedBlockPolicy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Shadow policies beside a live cache whose popular objects are few. */
class ShadowsTest {

  private static final int CAPACITY = 400;
  private static final int OBJECTS = 2_000;

  private final Random random = new Random(1);
  private final ObjectSite site = new ObjectSite(CAPACITY);
  private final Source source = new Source();
  private final Shadows shadows = new Shadows(site, source, 1, 7);

  @AfterEach
  void close() {
    shadows.close();
    site.close();
  }

  /** Policies that no plugin offers. */
  private static final class Source implements PolicySource {

    private final Map<String, String> codes = new ConcurrentHashMap<>();

    @Override
    public PolicyCandidate create(
        String policy, String partition, long capacityBlocks, PolicyClock clock) {
      return new PolicyCandidate(policy, policy(policy));
    }

    @Override
    public String code(String policy) {
      return codes.getOrDefault(policy, "");
    }

    private static BlockPolicy<?> policy(String name) {
      return switch (ShadowSpec.parse(name, "shadow").policy().name()) {
        case "least-used" -> ranked(Entry::accesses);
        case "most-used" -> ranked(entry -> -entry.accesses());
        case "broken" ->
            ranked(entry -> {
              throw new IllegalStateException("worn out");
            });
        default -> new BuiltInLru();
      };
    }

    private static BlockPolicy<?> ranked(Function<Entry, Number> order) {
      return new RankedBlockPolicy() {
        @Override
        protected double rank(Entry entry) {
          return order.apply(entry).doubleValue();
        }
      };
    }
  }

  private void traffic() {
    for (int i = 0; i < 500; i++) {
      site.use(object() * 0x9E3779B97F4A7C15L);
    }
  }

  private long object() {
    return 1 + (long) (Math.pow(random.nextDouble(), 3) * OBJECTS);
  }

  /** Lets clients work until the shadows are as wanted. */
  private Map<String, ShadowReport> until(Predicate<Map<String, ShadowReport>> wanted) {
    Awaiting.until(() -> {
      traffic();
      return wanted.test(candidates());
    });
    return candidates();
  }

  private Map<String, ShadowReport> candidates() {
    return shadows.report().candidates().stream()
        .collect(Collectors.toMap(ShadowReport::policy, each -> each));
  }

  private static boolean enough(Map<String, ShadowReport> candidates) {
    return candidates.values().stream().allMatch(ShadowReport::enough);
  }

  private static double ratio(Map<String, ShadowReport> candidates, String policy) {
    ShadowReport report = requireNonNull(candidates.get(policy));
    return requireNonNull(report.estimate()).hitRatio();
  }

  @Test
  void withoutShadowPoliciesNothingIsSampled() {
    traffic();
    assertThat(shadows.report().rate()).isZero();
    assertThat(shadows.report().candidates()).isEmpty();
    assertThat(shadows.report().since()).isNull();
    assertThat(shadows.report().active()).isEqualTo(BuiltInLru.NAME);
  }

  @Test
  void eachCountsWhatItWouldHaveHit() {
    traffic();
    shadows.set(List.of("least-used", "most-used", "also-lru"), 1);

    Map<String, ShadowReport> all = until(ShadowsTest::enough);

    assertThat(all).containsOnlyKeys(BuiltInLru.NAME, "least-used", "most-used", "also-lru");
    assertThat(all.values())
        .allMatch(each -> each.active() == each.policy().equals(BuiltInLru.NAME));
    assertThat(all.values()).allMatch(each -> each.nanosPerAccess() > 0);
    double live = requireNonNull(requireNonNull(all.get("also-lru")).estimate()).liveHitRatio();
    assertThat(ratio(all, "also-lru"))
        .as("as the live cache, which is LRU")
        .isCloseTo(live, within(0.01));
    assertThat(ratio(all, "least-used")).isGreaterThan(live + 0.01);
    assertThat(ratio(all, "most-used")).isLessThan(live - 0.01);
    assertThat(shadows.report().candidates())
        .as("the active one first, then by hit ratio")
        .extracting(ShadowReport::policy)
        .startsWith(BuiltInLru.NAME, "least-used")
        .endsWith("most-used");
    assertThat(shadows.report().since()).isNotNull();
    assertThat(shadows.report().rate()).isOne();
  }

  @Test
  void theActivePolicyIsEstimatedWithOtherMemory() {
    traffic();
    shadows.set(List.of("active@0.5x", "active@2x", "least-used@2x"), 1);

    Map<String, ShadowReport> all =
        until(now -> now.values().stream().allMatch(each -> each.sampledAccesses() > 20_000));

    String half = BuiltInLru.NAME + "@0.5x";
    String twice = BuiltInLru.NAME + "@2x";
    assertThat(all).containsOnlyKeys(BuiltInLru.NAME, half, twice, "least-used@2x");
    assertThat(ratio(all, half)).isCloseTo(hitRatio(CAPACITY / 2), within(0.015));
    assertThat(ratio(all, twice)).isCloseTo(hitRatio(2 * CAPACITY), within(0.015));
    assertThat(requireNonNull(all.get(twice)).sampledEntries()).isEqualTo(2 * CAPACITY);
    assertThat(ratio(all, "least-used@2x")).isGreaterThan(ratio(all, twice) + 0.01);
    assertThat(shadows.report().capacityBytes()).isEqualTo(CAPACITY);
  }

  /** Returns the hit ratio of the same traffic in a cache of another size. */
  private double hitRatio(int capacity) {
    Map<Long, Boolean> cached =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > capacity;
          }
        };
    int accesses = 100_000;
    int hits = 0;
    for (int i = -accesses; i < accesses; i++) {
      boolean hit = cached.put(object(), true) != null;
      hits += hit && i >= 0 ? 1 : 0;
    }
    return (double) hits / accesses;
  }

  @Test
  void theRateIsChosenBySizeIfNoneIsSet() {
    try (ObjectSite large = new ObjectSite(1 << 20);
        Shadows chosen = new Shadows(large, source, 0, 7)) {
      for (long key = 1; key <= 1_000; key++) {
        large.use(key * 0x9E3779B97F4A7C15L);
      }
      chosen.set(List.of("least-used"), 0);
      double rate = chosen.report().rate();
      assertThat(rate).as("8,192 entries of a million").isEqualTo(1.0 / 128);
    }
  }

  @Test
  void oneThatFailsEndsAloneAndSaysWhy() {
    shadows.set(List.of("broken", "least-used"), 1);

    Map<String, ShadowReport> all =
        until(found ->
            requireNonNull(found.get("broken")).state() == State.FAILED
                && requireNonNull(found.get("least-used")).state() == State.RUNNING);

    ShadowReport broken = requireNonNull(all.get("broken"));
    assertThat(broken.reason()).contains("'broken'", "worn out");
    assertThat(broken.estimate()).isNull();
    assertThat(requireNonNull(all.get("least-used")).reason()).isNull();
  }

  @Test
  void othersKeepRunningWhenOneIsAddedAndOneIsRemoved() {
    shadows.set(List.of("least-used", "most-used"), 1);
    until(ShadowsTest::enough);
    long sampled = requireNonNull(candidates().get("least-used")).sampledEntries();
    assertThat(sampled).isPositive();

    shadows.set(List.of("least-used", "also-lru"), 1);

    assertThat(candidates()).containsOnlyKeys(BuiltInLru.NAME, "least-used", "also-lru");
    assertThat(requireNonNull(candidates().get("least-used")).sampledEntries()).isPositive();
    assertThat(shadows.report().since()).as("all count over the same period").isNull();
    until(ShadowsTest::enough);
  }

  @Test
  void theActivePolicyIsFollowed() {
    shadows.set(List.of("least-used"), 1);
    until(ShadowsTest::enough);

    site.install("also-lru");

    until(found -> found.containsKey("also-lru") && enough(found));
    assertThat(candidates()).containsOnlyKeys("also-lru", "least-used");
    assertThat(shadows.report().active()).isEqualTo("also-lru");
  }

  @Test
  void oneWhoseCodeIsReplacedStartsAgain() {
    source.codes.put("least-used", "1");
    shadows.set(List.of("least-used"), 1);
    until(ShadowsTest::enough);
    long before = requireNonNull(candidates().get("least-used")).sampledAccesses();

    source.codes.put("least-used", "2");

    Awaiting.until(() -> shadows.report().since() == null);
    Map<String, ShadowReport> again = until(ShadowsTest::enough);
    assertThat(before).isPositive();
    assertThat(again).containsOnlyKeys(BuiltInLru.NAME, "least-used");

    // A policy whose JAR is removed has no code, and goes on.
    source.codes.remove("least-used");
    traffic();
    assertThat(requireNonNull(candidates().get("least-used")).state()).isEqualTo(State.RUNNING);
  }

  @Test
  void withTheLastOneSamplingEnds() {
    shadows.set(List.of("least-used"), 1);
    assertThat(shadows.report().rate()).isOne();

    shadows.set(List.of(), 1);

    assertThat(shadows.report().rate()).isZero();
    assertThat(shadows.report().candidates()).isEmpty();
    traffic();
  }
}
