package dev.ebb.host.optimum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.trace.DecodedTrace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Holds the optima against every possible behaviour of a cache, on small random traces. */
class OptimumOracleTest {

  private static final int SEEDS = 300;

  @Test
  void noCacheHitsMorePrefixBlocksAndOneHitsAsMany() {
    for (int seed = 0; seed < SEEDS; seed++) {
      List<int[]> requests = prefixRequests(new Random(seed));
      FutureUses uses = new FutureUses(trace(requests));
      for (int capacity = 0; capacity <= 5; capacity++) {
        assertThat(PrefixOptimum.hits(uses, capacity))
            .as("seed %d, capacity %d", seed, capacity)
            .isEqualTo(mostPrefixHits(requests, capacity));
      }
    }
  }

  @Test
  void noObjectCacheHitsMoreAndOneHitsAsMany() {
    for (int seed = 0; seed < SEEDS; seed++) {
      List<int[]> requests = independentRequests(new Random(seed), 7);
      int[] ids = requests.stream().flatMapToInt(Arrays::stream).toArray();
      FutureUses uses = new FutureUses(trace(requests));
      for (int capacity = 1; capacity <= 5; capacity++) {
        assertThat(BeladyOptimum.hits(uses, capacity))
            .as("seed %d, capacity %d", seed, capacity)
            .isEqualTo(mostObjectHits(ids, capacity));
      }
    }
  }

  @Test
  void prefixOptimumFollowsItsRuleOnAnyTrace() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<int[]> requests =
          seed % 2 == 0 ? prefixRequests(random) : independentRequests(random, 12);
      FutureUses uses = new FutureUses(trace(requests));
      for (int capacity : new int[] {0, 1, 3, 8, 100}) {
        assertThat(PrefixOptimum.hits(uses, capacity))
            .as("seed %d, capacity %d", seed, capacity)
            .isEqualTo(byTheRule(requests, capacity));
      }
    }
  }

  @Test
  void anEmptyPromptHitsNothing() {
    DecodedTrace trace = trace(List.of(new int[0], new int[0]));

    assertThat(PrefixOptimum.hits(new FutureUses(trace), 2)).isZero();
    assertThat(BeladyOptimum.hits(new FutureUses(trace), 2)).isZero();
  }

  @Test
  void anObjectCacheNeedsRoomForOne() {
    FutureUses uses = new FutureUses(trace(List.of(new int[] {1})));

    assertThatThrownBy(() -> BeladyOptimum.hits(uses, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("capacity is '0' blocks, must be at least 1");
  }

  /** After each request every set of at most {@code capacity} blocks seen may be kept. */
  private static long mostPrefixHits(List<int[]> requests, int capacity) {
    Map<Set<Integer>, Long> best = new HashMap<>(Map.of(Set.of(), 0L));
    for (int[] request : requests) {
      Map<Set<Integer>, Long> after = new HashMap<>();
      best.forEach((resident, hits) -> {
        int leading = 0;
        while (leading < request.length && resident.contains(request[leading])) {
          leading++;
        }
        Set<Integer> all = new HashSet<>(resident);
        Arrays.stream(request).forEach(all::add);
        for (Set<Integer> kept : subsets(List.copyOf(all), capacity)) {
          after.merge(kept, hits + leading, Math::max);
        }
      });
      best = after;
    }
    return best.values().stream().mapToLong(hits -> hits).max().orElse(0);
  }

  /** At each miss of a full cache any object may leave. */
  private static long mostObjectHits(int[] ids, int capacity) {
    Map<Set<Integer>, Long> best = new HashMap<>(Map.of(Set.of(), 0L));
    for (int id : ids) {
      Map<Set<Integer>, Long> after = new HashMap<>();
      best.forEach((resident, hits) -> {
        if (resident.contains(id)) {
          after.merge(resident, hits + 1, Math::max);
          return;
        }
        Set<Integer> full = new HashSet<>(resident);
        full.add(id);
        if (full.size() <= capacity) {
          after.merge(full, hits, Math::max);
          return;
        }
        for (int victim : resident) {
          Set<Integer> left = new HashSet<>(full);
          left.remove(victim);
          after.merge(left, hits, Math::max);
        }
      });
      best = after;
    }
    return best.values().stream().mapToLong(hits -> hits).max().orElse(0);
  }

  /** The rule word by word, with sets and searches. */
  private static long byTheRule(List<int[]> requests, int capacity) {
    Set<Integer> resident = new HashSet<>();
    long hits = 0;
    for (int at = 0; at < requests.size(); at++) {
      int[] request = requests.get(at);
      int leading = 0;
      while (leading < request.length && resident.contains(request[leading])) {
        leading++;
      }
      hits += leading;
      Arrays.stream(request).forEach(resident::add);
      int next = at + 1;
      resident.removeIf(id -> nextUse(requests, next, id) == Long.MAX_VALUE);
      while (resident.size() > capacity) {
        resident.remove(
            resident.stream()
                .max((a, b) -> Long.compare(nextUse(requests, next, a), nextUse(requests, next, b)))
                .orElseThrow());
      }
    }
    return hits;
  }

  /** The request that uses a block next, then how deep it is there. */
  private static long nextUse(List<int[]> requests, int from, int id) {
    for (int at = from; at < requests.size(); at++) {
      int[] request = requests.get(at);
      for (int depth = 0; depth < request.length; depth++) {
        if (request[depth] == id) {
          return at * 1000L + depth;
        }
      }
    }
    return Long.MAX_VALUE;
  }

  private static List<Set<Integer>> subsets(List<Integer> all, int most) {
    List<Set<Integer>> subsets = new ArrayList<>();
    for (int bits = 0; bits < 1 << all.size(); bits++) {
      if (Integer.bitCount(bits) <= most) {
        Set<Integer> subset = new HashSet<>();
        for (int i = 0; i < all.size(); i++) {
          if ((bits & 1 << i) != 0) {
            subset.add(all.get(i));
          }
        }
        subsets.add(subset);
      }
    }
    return subsets;
  }

  /** Walks from the roots of a small random forest, whose nodes are the blocks. */
  private static List<int[]> prefixRequests(Random random) {
    int[] parents = new int[7];
    Arrays.setAll(parents, id -> id == 0 ? -1 : random.nextInt(id + 1) - 1);
    List<int[]> requests = new ArrayList<>();
    for (int i = 4 + random.nextInt(5); i > 0; i--) {
      ArrayList<Integer> path = new ArrayList<>();
      for (int id = random.nextInt(parents.length); id >= 0; id = parents[id]) {
        path.addFirst(id);
      }
      requests.add(path.stream().mapToInt(id -> id).toArray());
    }
    return requests;
  }

  private static List<int[]> independentRequests(Random random, int ids) {
    List<int[]> requests = new ArrayList<>();
    for (int i = 3 + random.nextInt(5); i > 0; i--) {
      requests.add(random.ints(random.nextInt(5), 0, ids).toArray());
    }
    return requests;
  }

  private static DecodedTrace trace(List<int[]> requests) {
    return DecodedTrace.decode("random", new ListCursor(requests));
  }
}
