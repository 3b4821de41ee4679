package dev.ebb.host.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.ebb.host.engine.pool.BlockUse;
import dev.ebb.host.engine.pool.PoolMap;
import dev.ebb.host.engine.pool.PoolReport;
import dev.ebb.host.engine.pool.SequenceReport;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.engine.sequence.TestEngine;
import dev.ebb.host.pool.Placement;
import java.util.EnumMap;
import java.util.Map;
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
      Map<BlockUse, Integer> uses = new EnumMap<>(BlockUse.class);
      for (int block = 0; block < 16; block++) {
        uses.merge(map.use(block), 1, Integer::sum);
      }

      assertThat(uses)
          .containsOnly(
              entry(BlockUse.FREE, 9),
              entry(BlockUse.CACHED, 1),
              entry(BlockUse.SHARED, 2),
              entry(BlockUse.OWNED, 3),
              entry(BlockUse.RESERVED, 1));
    }
  }

  @Test
  void theReportCountsEachUse() {
    try (TestEngine test = everyUse()) {
      PoolReport report = test.report();

      assertThat(report.pool().blocks() - report.pool().freeBlocks()).isEqualTo(7);
      assertThat(report.cachedBlocks()).isEqualTo(2);
      assertThat(report.evictableBlocks()).isOne();
      assertThat(report.reservedBlocks()).isOne();
      assertThat(report.traffic().opened()).isEqualTo(3);
      assertThat(report.traffic().forked()).isOne();
      assertThat(report.traffic().matchedTokens()).isEqualTo(4);
      assertThat(report.sequences()).extracting(SequenceReport::id).containsExactly(2L, 3L, 4L);
      assertThat(report.sequences()).extracting(SequenceReport::tenant).contains("acme");
    }
  }
}
