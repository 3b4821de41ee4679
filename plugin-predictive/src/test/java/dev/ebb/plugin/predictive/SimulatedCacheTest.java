package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulatedCacheTest {

  private static final int SAMPLES = 1000;
  private static final int ROOM = 60;
  private static final long SECOND = 1_000_000_000L;

  private final SurvivalModel model = new SurvivalModel(FactorSet.SIP_7, 100);
  private final IndexCache indices = new IndexCache(model);
  private final SimulatedCache cache = new SimulatedCache(indices, SAMPLES);
  private final Naive naive = new Naive(indices);
  private final SampledChain chain = new SampledChain();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void evictsTheLeafOfTheLowestIndexAsANaiveCacheDoes(long seed) {
    Random random = new Random(seed);
    // A use in the age of 1 to 20 seconds is likely, so that the order is not that of last use.
    for (int bin = 0; bin < 8; bin++) {
      model.observe(blockClass(0), bin, 1, bin < 4 ? 0 : 300);
      model.observe(blockClass(3), bin, 300, 0);
    }
    Set<Long> used = new HashSet<>();
    long now = 0;
    for (int i = 0; i < 3000; i++) {
      now += SECOND + 1 + random.nextInt(1_000_000);
      if (random.nextInt(10) == 0) {
        long alone = 1_000_000 + random.nextInt(10);
        used.add(alone);
        assertThat(cache.use(alone, blockClass(0), ROOM, now)).isEqualTo(naive.use(alone, now));
      } else {
        request(random.nextInt(9), 1 + random.nextInt(25), random.nextInt(4));
        for (int index = 0; index < chain.size(); index++) {
          used.add(chain.fingerprint(index));
        }
        assertThat(cache.serve(chain, ROOM, 0.7, now)).isEqualTo(naive.serve(chain, 0.7, now));
      }
      assertThat(used.stream().filter(cache::has))
          .as("request %d", i)
          .containsExactlyInAnyOrderElementsOf(naive.blocks.keySet())
          .hasSizeLessThanOrEqualTo(ROOM);
    }
  }

  @Test
  void aRemovedBlockIsGoneAndOneBeforeOthersStays() {
    request(1, 3, 0);
    cache.serve(chain, ROOM, 0, SECOND);
    cache.remove(1001);
    assertThat(cache.has(1001)).as("others follow").isTrue();
    cache.remove(1002);
    cache.remove(1001);
    assertThat(cache.has(1001)).isFalse();
    assertThat(cache.has(1000)).isTrue();
    cache.clear();
    assertThat(cache.has(1000)).isFalse();
    assertThat(cache.serve(chain, ROOM, 0, SECOND)).isZero();
  }

  /** Prompts that share the blocks before one of four branches. */
  private void request(int prompt, int blocks, int branch) {
    chain.clear(0);
    for (int i = blocks - 1; i >= 0; i--) {
      chain.add(1000L * prompt + (i < 5 ? i : 100 * (branch + 1) + i), blockClass(prompt % 4));
    }
  }

  private static int blockClass(int uses) {
    return BlockClass.of(BlockClass.request(1, 1, 1, 0), 9, 2 * uses + 1, 1);
  }

  private static final class Naive {

    private final IndexCache indices;
    private final Map<Long, Block> blocks = new LinkedHashMap<>();

    record Block(long fingerprint, long parent, int blockClass, long born) {}

    Naive(IndexCache indices) {
      this.indices = indices;
    }

    int serve(SampledChain chain, double admits, long now) {
      int matched = 0;
      while (matched < chain.size() && blocks.containsKey(chain.fingerprint(matched))) {
        use(chain, matched++, now);
      }
      int stored = matched;
      while (stored < chain.size() && makeRoom(chain, stored, admits, now)) {
        use(chain, stored++, now);
      }
      return matched;
    }

    private void use(SampledChain chain, int index, long now) {
      long fingerprint = chain.fingerprint(index);
      long parent = index == 0 ? -1 : chain.fingerprint(index - 1);
      blocks.put(fingerprint, new Block(fingerprint, parent, chain.blockClass(index), now));
    }

    boolean use(long fingerprint, long now) {
      boolean found = blocks.containsKey(fingerprint);
      while (!found && blocks.size() >= ROOM) {
        blocks.remove(lowest(-1, now).fingerprint);
      }
      blocks.put(fingerprint, new Block(fingerprint, -1, blockClass(0), now));
      return found;
    }

    private boolean makeRoom(SampledChain chain, int index, double admits, long now) {
      long last = index == 0 ? -1 : chain.fingerprint(index - 1);
      while (blocks.size() >= ROOM) {
        Block victim = lowest(last, now);
        if (victim == null
            || indices.index(chain.expected(index), 0, 0) < admits * index(victim, now)) {
          return false;
        }
        blocks.remove(victim.fingerprint);
      }
      return true;
    }

    private Block lowest(long inUse, long now) {
      Set<Long> parents = new HashSet<>();
      blocks.values().forEach(block -> parents.add(block.parent));
      List<Block> leaves = new ArrayList<>(blocks.values());
      leaves.removeIf(block -> parents.contains(block.fingerprint) || block.fingerprint == inUse);
      return leaves.stream()
          .min(Comparator.comparingDouble(block -> index(block, now)))
          .orElse(null);
    }

    private float index(Block block, long now) {
      long age = now - block.born;
      return indices.index(block.blockClass, Ages.bin(age), age);
    }
  }
}
