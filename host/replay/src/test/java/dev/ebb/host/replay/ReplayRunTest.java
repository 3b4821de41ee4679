package dev.ebb.host.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.replay.ReplayResult.GroupUse;
import dev.ebb.host.replay.ReplayResult.PrefillTokens;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.KeepsAll;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import dev.ebb.spi.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both models against plain simulators, through real trace lines. */
class ReplayRunTest {

  private static final int BLOCK_TOKENS = TestReplay.BLOCK_TOKENS;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void thePrefixModelHitsWhatAPlainSimulatorHits(long seed) {
    Random random = new Random(seed);
    int capacity = 5 + random.nextInt(40);
    // Few enough evictions for the ghost window to hold them all.
    List<List<Long>> requests = requests(random, 150);
    NaivePrefixCache naive = new NaivePrefixCache(capacity);
    long hits = 0;
    long tokens = 0;
    List<Long> prefill = new ArrayList<>();
    for (List<Long> request : requests) {
      int matched = naive.request(request);
      hits += matched;
      long hitTokens = Math.min(matched * (long) BLOCK_TOKENS, inputTokens(request));
      tokens += hitTokens;
      prefill.add(inputTokens(request) - hitTokens);
    }
    Collections.sort(prefill);

    ReplayResult result = run(ReplayModel.PREFIX, capacity, requests);

    assertThat(result.hits()).isEqualTo(hits);
    assertThat(result.prefixHitBlocks()).isEqualTo(hits);
    assertThat(result.prefixHitTokens()).isEqualTo(tokens);
    assertThat(result.prefill())
        .isEqualTo(
            new PrefillTokens(
                percentile(prefill, 50), percentile(prefill, 95), percentile(prefill, 99)));
    assertThat(result.evictions()).isEqualTo(naive.evictions());
    assertThat(result.rePrefillRate()).isEqualTo((double) naive.askedAgain() / naive.evictions());
  }

  @Test
  void theSlowestCallIsFound() {
    String lines = lines(requests(new Random(1), 50));
    RankedBlockPolicy sleepsOnce =
        new RankedBlockPolicy() {
          private int calls;

          @Override
          protected double rank(Entry entry) {
            if (++calls == 20) {
              Awaiting.pause(300);
            }
            return entry.lastAccessTick();
          }
        };

    ReplayResult timed =
        TestReplay.run(
            ReplayModel.PREFIX, sleepsOnce, 10, 0, null, lines, Long.MAX_VALUE, true, run -> {});

    assertThat(timed.slowestNanos()).isBetween(50e6, 60e9);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void aModelWithOneGroupOfFullAttentionIsNotHybrid(long seed) {
    Random random = new Random(seed);
    int capacity = 5 + random.nextInt(40);
    String lines = lines(requests(random, 400));

    ReplayResult plain = run(ReplayModel.PREFIX, new BuiltInLru(), capacity, lines, null);
    ReplayResult one =
        run(
            ReplayModel.PREFIX,
            new BuiltInLru(),
            capacity,
            lines,
            ObjectGroups.parseSized("groups", "full:3"));

    assertThat(one.hits()).isEqualTo(plain.hits());
    assertThat(one.evictions()).isEqualTo(plain.evictions());
    assertThat(one.capacityBlocks()).isEqualTo(capacity);
    assertThat(one.groups()).isEqualTo(new GroupUse(one.groups().blocks(), 0, 0));
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void aDiskWithoutSpaceChangesNothing(long seed) {
    Random random = new Random(seed);
    int capacity = 5 + random.nextInt(40);
    String lines = lines(requests(random, 400));

    ReplayResult plain = run(ReplayModel.PREFIX, new BuiltInLru(), capacity, lines);
    ReplayResult tiers =
        run(
            ReplayModel.PREFIX,
            new BuiltInLru(),
            capacity,
            lines,
            null,
            run -> {
              PolicyCandidate policy = new PolicyCandidate("of the disk", new BuiltInLru());
              run.addDisk("tested", 0, 0, policy, AdmissionRule.ALL);
            });

    assertThat(tiers)
        .usingRecursiveComparison()
        .withEqualsForType((a, b) -> a.equals(b), Double.class)
        .ignoringFields("tiers", "referencesPerSecond")
        .isEqualTo(plain);
    assertThat(tiers.tiers().memoryHits()).isEqualTo(plain.hits());
    assertThat(tiers.tiers().diskHits()).isZero();
    assertThat(tiers.tiers().writtenBlocks()).isZero();
  }

  @Test
  void hitsOnTheDiskAreHitsOfTheRun() {
    List<List<Long>> requests = List.of(List.of(1L, 2L), List.of(3L, 4L), List.of(1L, 2L, 5L));

    ReplayResult result =
        run(
            ReplayModel.PREFIX,
            new BuiltInLru(),
            2,
            lines(requests),
            null,
            run -> {
              PolicyCandidate policy = new PolicyCandidate("of the disk", new BuiltInLru());
              run.addDisk("both", 10, 0, policy, AdmissionRule.ALL);
            });

    assertThat(result.policy()).isEqualTo("both");
    assertThat(result.capacityBlocks()).isEqualTo(12);
    assertThat(result.hits()).isEqualTo(2);
    assertThat(result.prefixHitTokens()).isEqualTo(2 * BLOCK_TOKENS);
    assertThat(result.tiers().policy()).isEqualTo("tested");
    assertThat(result.tiers().diskPolicy()).isEqualTo("of the disk");
    assertThat(result.tiers().diskHits()).isEqualTo(2);
  }

  private static long percentile(List<Long> sorted, int percent) {
    return sorted.get((int) Math.ceil(sorted.size() * percent / 100.0) - 1);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void theObjectModelHitsWhatALinkedHashMapHits(long seed) {
    Random random = new Random(seed);
    int capacity = 5 + random.nextInt(20);
    List<List<Long>> requests = requests(random, 400);
    Map<Long, Boolean> map =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > capacity;
          }
        };
    long hits = 0;
    long leading = 0;
    for (List<Long> request : requests) {
      boolean unbroken = true;
      for (Long id : request) {
        boolean hit = map.get(id) != null;
        hits += hit ? 1 : 0;
        unbroken &= hit;
        leading += unbroken ? 1 : 0;
        map.put(id, true);
      }
    }

    ReplayResult result = run(ReplayModel.OBJECT, capacity, requests);

    assertThat(result.hits()).isEqualTo(hits);
    assertThat(result.prefixHitBlocks()).isEqualTo(leading);
  }

  @Test
  void aRequestThatDoesNotFitIsAdmittedAsFarAsItDoes() {
    ReplayResult result =
        run(
            ReplayModel.PREFIX,
            3,
            List.of(List.of(1L, 2L, 3L, 4L, 5L), List.of(1L, 2L, 3L, 4L, 5L)));

    assertThat(result.hits()).isEqualTo(3);
    assertThat(result.notAdmittedBlocks()).isEqualTo(4);
    assertThat(result.evictions()).isZero();
    assertThat(result.rePrefillRate()).isNaN();
  }

  @Test
  void blocksThatThePolicyRejectsAreCountedAndNotCached() {
    ReplayResult result =
        run(
            ReplayModel.PREFIX,
            new KeepsAll(),
            3,
            List.of(List.of(1L, 2L), List.of(3L, 4L, 5L), List.of(1L, 2L, 6L), List.of(3L)));

    assertThat(result.hits()).isEqualTo(3);
    assertThat(result.rejectedBlocks()).isEqualTo(3);
    assertThat(result.notAdmittedBlocks()).isZero();
    assertThat(result.evictions()).isZero();
  }

  @Test
  void thePolicyReceivesWhatTheEndShowsAtTheEnd() {
    List<String> seen = new ArrayList<>();
    RankedBlockPolicy recorder =
        new RankedBlockPolicy() {
          @Override
          protected double rank(Entry entry) {
            return 0;
          }

          @Override
          public void began(Request request) {
            seen.add(shown(request));
          }

          @Override
          public void ended(Request request) {
            seen.add(shown(request));
          }

          private String shown(Request request) {
            return "%d %d %s %s %d"
                .formatted(
                    request.hint(),
                    request.outputTokens(),
                    request.finishReason(),
                    request.model(),
                    request.returnAfterNanos());
          }
        };
    String line =
        """
        {"timestamp":0,"input_length":1,"output_length":5,"hint":3,"finish_reason":"stop",\
        "model":"m","return_after_s":1,"hash_ids":[1]}
        """;

    run(ReplayModel.PREFIX, recorder, 3, line);

    assertThat(seen).containsExactly("0 -1 null null -1", "3 5 stop m 1000000000");
  }

  @Test
  void requestsWithoutBlocksCountTheirTokensOnly() {
    ReplayResult result = run(ReplayModel.PREFIX, 3, List.of(List.of(), List.of(1L)));

    assertThat(result.requests()).isEqualTo(2);
    assertThat(result.references()).isEqualTo(1);
  }

  // Few ids under any parent, so that an id alone does not name a path.
  private static List<List<Long>> requests(Random random, int count) {
    List<List<Long>> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<Long> ids = new ArrayList<>();
      int length = 1 + random.nextInt(10);
      for (int block = 0; block < length; block++) {
        ids.add((long) random.nextInt(block < 2 ? 2 : 4));
      }
      requests.add(ids);
    }
    return requests;
  }

  private static long inputTokens(List<Long> request) {
    return Math.max(1, request.size() * (long) BLOCK_TOKENS - 5);
  }

  private static ReplayResult run(ReplayModel model, int capacity, List<List<Long>> requests) {
    return run(model, new BuiltInLru(), capacity, requests);
  }

  private static ReplayResult run(
      ReplayModel model, BlockPolicy<?> policy, int capacity, List<List<Long>> requests) {
    return run(model, policy, capacity, lines(requests), null);
  }

  private static String lines(List<List<Long>> requests) {
    StringBuilder lines = new StringBuilder();
    int time = 0;
    for (List<Long> request : requests) {
      lines.append(
          "{\"timestamp\": %d, \"input_length\": %d, \"output_length\": 1, \"hash_ids\": %s}%n"
              .formatted(time++, inputTokens(request), request));
    }
    return lines.toString();
  }

  private static ReplayResult run(
      ReplayModel model, BlockPolicy<?> policy, int capacity, String lines) {
    return run(model, policy, capacity, lines, null);
  }

  private static ReplayResult run(
      ReplayModel model,
      BlockPolicy<?> policy,
      int capacity,
      String lines,
      @Nullable SizedGroups groups) {
    return run(model, policy, capacity, lines, groups, run -> {});
  }

  private static ReplayResult run(
      ReplayModel model,
      BlockPolicy<?> policy,
      int capacity,
      String lines,
      @Nullable SizedGroups groups,
      Consumer<ReplayRun> prepare) {
    return TestReplay.run(
        model, policy, capacity, 0, groups, lines, Long.MAX_VALUE, false, prepare);
  }
}
