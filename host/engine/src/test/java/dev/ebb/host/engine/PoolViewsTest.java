package dev.ebb.host.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.engine.pool.BlockUse;
import dev.ebb.host.engine.pool.PoolMap;
import dev.ebb.host.engine.pool.PoolText;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.engine.sequence.TestEngine;
import dev.ebb.host.pool.Placement;
import java.util.List;
import org.junit.jupiter.api.Test;

class PoolViewsTest {

  /** A pool in which every use occurs. */
  private static TestEngine everyUse() {
    TestEngine test = new TestEngine(16);
    test.open(1, 1, 1, 1, 2, 2, 2, 2).finish();
    test.engine.open(
        SequenceRequest.of(TestEngine.MODEL, 1, 1, 1, 1, 3)
            .withTenant("acme")
            .withWorkload("chat")
            .withMaxLength(12)
            .reserving(Placement.SCATTERED));
    Sequence parent = test.openWith(2, 5, 5, 5, 5, 6);
    parent.fork().append(7);
    return test;
  }

  @Test
  void theMapShowsEachBlock() {
    try (TestEngine test = everyUse()) {
      PoolMap map = test.map();
      List<String> lines = PoolText.map(map, 8, 10);

      assertThat(lines.getFirst())
          .isEqualTo(
              ". free 9   c cached 1   s shared 2   o owned 3   m migrating 0   r reserved 1");
      assertThat(lines).hasSize(3);
      String drawn = lines.get(1) + lines.get(2);
      assertThat(drawn).hasSize(16);
      for (int block = 0; block < 16; block++) {
        assertThat(drawn.charAt(block)).isEqualTo(map.use(block).symbol());
      }
    }
  }

  @Test
  void aLargePoolIsDrawnInCellsOfTheirMostFrequentUse() {
    PoolMap map = new PoolMap(1_000);
    for (int block = 0; block < 500; block++) {
      map.set(block, BlockUse.CACHED);
    }
    map.set(999, BlockUse.OWNED);

    assertThat(PoolText.map(map, 10, 2))
        .containsExactly(
            ". free 499   c cached 500   s shared 0   o owned 1   m migrating 0   r reserved 0",
            "50 blocks to a character",
            "cccccccccc",
            "..........");
    assertThatThrownBy(() -> PoolText.map(map, 0, 1)).hasMessageContaining("'0' columns");
  }

  @Test
  void theStatsNameEverything() {
    try (TestEngine test = everyUse()) {
      assertThat(PoolText.stats(test.report()))
          .containsExactly(
              "pool           host, 16 blocks of 384 B, 6 KiB",
              "policy         builtin-lru",
              "in use         7 blocks, 43.8 %",
              "cached         2 blocks, 1 evictable",
              "reserved       1 block",
              "fragmentation  0.00, longest free run 9 blocks",
              "sequences      3 opened, 1 forked, 1 finished, 0 aborted, 0 preempted",
              "hit tokens     4 of 18, 22.2 %",
              "reclaim        0 compactions, 0 evictions, 0 preemptions, 0 waits, 0 refusals",
              "",
              "  SEQUENCE  PRIORITY    TOKENS       OWN    CACHED  RESERVED  USE  TENANT",
              "         2         1         5         1         1         1  no   acme",
              "         3         2         5         2         0         0  no   -",
              "         4         2         6         2         0         0  no   -");
    }
  }
}
