package dev.ebb.host.replay.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.replay.ReplayModel;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two tiers against plain sets and maps, request by request. */
class DiskTierTest {

  static LongStream seeds() {
    return LongStream.range(0, 60);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void bothTiersHoldWhatAPlainSimulatorHolds(long seed) {
    Random random = new Random(seed);
    int memoryBlocks = 1 + random.nextInt(20);
    int diskBlocks = random.nextInt(40);
    boolean memoryByUse = random.nextBoolean();
    boolean diskByUse = random.nextBoolean();
    boolean secondUse = random.nextBoolean();
    NaiveTiers naive = new NaiveTiers(memoryBlocks, diskBlocks, memoryByUse, diskByUse, secondUse);
    AdmissionRule rule =
        AdmissionRule.parseAll(secondUse ? "second-use" : "all", "--disk-admission").getFirst();
    Set<List<Long>> seen = new HashSet<>();
    try (Tiers tiers = new Tiers(memoryBlocks, diskBlocks, 0, memoryByUse, diskByUse, rule)) {
      for (int i = 0; i < 300; i++) {
        request(ids(random), naive, tiers, seen);

        TierUse use = tiers.disk.use("memory");
        assertThat(use.memoryHits()).isEqualTo(naive.memoryHits);
        assertThat(use.diskHits()).isEqualTo(naive.diskHits);
        assertThat(use.writtenBlocks()).isEqualTo(naive.written);
        for (List<Long> path : seen) {
          assertThat(tiers.memory.find(key(path)) != null)
              .isEqualTo(naive.memory.containsKey(path));
          assertThat(tiers.disk.holds(key(path))).isEqualTo(naive.disk.contains(path));
        }
        assertThat(naive.isWhole()).isTrue();
      }
      assertThat(tiers.disk.checkedSize()).isNull();
    }
  }

  private static void request(List<Long> ids, NaiveTiers naive, Tiers tiers, Set<List<Long>> seen) {
    for (int end = 1; end <= ids.size(); end++) {
      seen.add(List.copyOf(ids.subList(0, end)));
    }
    naive.request(ids);
    tiers.request(ids);
  }

  @Test
  void aBlockIsWrittenOnceHoweverOftenMemoryEvictsIt() {
    try (Tiers tiers = new Tiers(2, 10, 0, true, true, AdmissionRule.ALL)) {
      for (int i = 0; i < 5; i++) {
        tiers.request(List.of(1L, 2L));
        tiers.request(List.of(3L, 4L));
      }

      TierUse use = tiers.disk.use("memory");
      assertThat(use.writtenBlocks()).isEqualTo(4);
      assertThat(use.diskHits()).isEqualTo(16);
      assertThat(use.memoryHits()).isZero();
    }
  }

  @Test
  void aBlockThatIsUsedOnceIsNotWrittenOnSecondUse() {
    AdmissionRule rule = AdmissionRule.parseAll("second-use", "--disk-admission").getFirst();
    try (Tiers tiers = new Tiers(2, 10, 0, true, true, rule)) {
      tiers.request(List.of(1L));
      tiers.request(List.of(2L));
      tiers.request(List.of(3L));
      assertThat(tiers.disk.use("memory").writtenBlocks()).isZero();

      tiers.request(List.of(1L));
      tiers.request(List.of(2L));
      tiers.request(List.of(3L));

      assertThat(tiers.disk.use("memory").writtenBlocks()).isEqualTo(1);
    }
  }

  @Test
  void blocksThatMemoryDoesNotAdmitAreWritten() {
    try (Tiers tiers = new Tiers(2, 10, 0, true, true, AdmissionRule.ALL)) {
      tiers.request(List.of(1L, 2L, 3L, 4L));
      assertThat(tiers.disk.use("memory").writtenBlocks()).isEqualTo(2);

      tiers.request(List.of(1L, 2L, 3L, 4L));

      TierUse use = tiers.disk.use("memory");
      assertThat(use.memoryHits()).isEqualTo(2);
      assertThat(use.diskHits()).isEqualTo(2);
      assertThat(use.writtenBlocks()).isEqualTo(2);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aDiskOfRegionsHoldsWholePrefixesOnly(long seed) {
    Random random = new Random(seed);
    int memoryBlocks = 1 + random.nextInt(20);
    int regionBlocks = 1 + random.nextInt(6);
    int diskBlocks = regionBlocks * (2 + random.nextInt(8)) + random.nextInt(regionBlocks);
    String rules = "all,second-use,reuse=40%,write-budget=1";
    List<AdmissionRule> all = AdmissionRule.parseAll(rules, "--disk-admission");
    AdmissionRule rule = all.get(random.nextInt(all.size()));
    Set<List<Long>> seen = new HashSet<>();
    NaiveTiers naive = new NaiveTiers(memoryBlocks, 0, true, true, false);
    try (Tiers tiers = new Tiers(memoryBlocks, diskBlocks, regionBlocks, true, true, rule)) {
      for (int i = 0; i < 300; i++) {
        request(ids(random), naive, tiers, seen);

        List<List<Long>> onDisk = seen.stream().filter(tiers::onDisk).toList();
        TierUse use = tiers.disk.use("memory");
        assertThat(onDisk).hasSizeLessThanOrEqualTo(diskBlocks / regionBlocks * regionBlocks);
        assertThat(onDisk)
            .filteredOn(path -> path.size() > 1)
            .allSatisfy(path -> assertThat(tiers.holds(path.subList(0, path.size() - 1))).isTrue());
        assertThat(use.writtenBlocks() - use.diskEvictions()).isEqualTo(onDisk.size());
        // The disk does not change what memory does.
        assertThat(use.memoryHits()).isEqualTo(naive.memoryHits);
      }
      assertThat(tiers.disk.checkedSize()).isNull();
    }
  }

  @Test
  void theOldestRegionIsFreedExceptForBlocksThatWereUsed() {
    try (Tiers tiers = new Tiers(1, 4, 2, true, true, AdmissionRule.ALL)) {
      for (long id : new long[] {1, 2, 3, 1, 4, 5}) {
        tiers.request(List.of(id));
      }
      // The regions have 1 and 2, then 3 and 4. 1 was used since, so 1 is written again.
      tiers.request(List.of(6L));

      assertThat(tiers.onDisk(List.of(1L))).isTrue();
      assertThat(tiers.onDisk(List.of(2L))).isFalse();
      assertThat(tiers.onDisk(List.of(3L))).isTrue();
      assertThat(tiers.onDisk(List.of(5L))).isTrue();
      TierUse use = tiers.disk.use("memory");
      assertThat(use.writtenBlocks()).isEqualTo(5);
      assertThat(use.rewrittenBlocks()).isEqualTo(1);
      assertThat(use.writeAmplification()).isEqualTo(1.2);
    }
  }

  @Test
  void anUnknownRuleIsAnErrorThatNamesTheOthers() {
    assertThatThrownBy(() -> AdmissionRule.parseAll("all, third-use", "--disk-admission"))
        .isInstanceOf(UserError.class)
        .hasMessageContainingAll("--disk-admission", "'third-use'", "second-use", "reuse=60%");
  }

  // Few ids under any parent, so that prompts share prefixes.
  private static List<Long> ids(Random random) {
    List<Long> ids = new ArrayList<>();
    int length = 1 + random.nextInt(8);
    for (int block = 0; block < length; block++) {
      ids.add((long) random.nextInt(block < 2 ? 2 : 3));
    }
    return ids;
  }

  private static long key(List<Long> path) {
    long key = 0;
    for (long id : path) {
      key = ReplayModel.PREFIX.key(key, id);
    }
    return key;
  }

  /** A memory with a disk behind it, which serve requests as a replay does. */
  private static final class Tiers implements AutoCloseable {

    final InlineBlockCache memory;
    final DiskTier disk;
    private final CacheRequest request = new CacheRequest();

    Tiers(
        int memoryBlocks,
        int diskBlocks,
        int regionBlocks,
        boolean memoryByUse,
        boolean diskByUse,
        AdmissionRule rule) {
      memory = new InlineBlockCache(memoryBlocks, () -> 0, new GhostWindow(1), OnFault.FAIL);
      memory.install(policy(memoryByUse));
      disk = new DiskTier(memory, diskBlocks, regionBlocks, policy(diskByUse), rule, () -> 0);
    }

    private static PolicyCandidate policy(boolean byUse) {
      RankedBlockPolicy ranked =
          new RankedBlockPolicy() {
            @Override
            protected double rank(Entry entry) {
              return byUse ? entry.lastAccessTick() : entry.createdTick();
            }
          };
      return new PolicyCandidate(byUse ? "by-use" : "by-age", ranked);
    }

    boolean onDisk(List<Long> path) {
      return disk.holds(key(path));
    }

    boolean holds(List<Long> path) {
      return onDisk(path) || memory.find(key(path)) != null;
    }

    void request(List<Long> ids) {
      request.reset(RequestFacts.UNKNOWN, -1);
      for (int end = 1; end <= ids.size(); end++) {
        request.add(key(ids.subList(0, end)));
      }
      memory.begin(request);
      disk.begin(request, List.of());
      memory.admit(request);
      disk.admitted(request);
      memory.finish(request);
      disk.finish(RequestFacts.UNKNOWN, -1);
    }

    @Override
    public void close() {
      disk.close();
      memory.close();
    }
  }
}
