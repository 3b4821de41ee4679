package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.prune.PruneResult;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.FailingDevice;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.tokens.rows.KeptSets;
import org.junit.jupiter.api.Test;

class PruningTest {

  private static final int[] TEXT = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

  @Test
  void thePositionGoesOnAndTheLengthFalls() {
    try (TestEngine test = new TestEngine(8)) {
      Sequence sequence = test.open(TEXT);

      PruneResult result = sequence.keep(KeptSets.of(new int[] {0, 4, 9}));

      assertThat(result).isEqualTo(new PruneResult(7, 3, 2, 2L * test.blockBytes(), 2 * 4));
      assertThat(sequence.position()).isEqualTo(10);
      assertThat(sequence.length()).isEqualTo(3);
      assertThat(sequence.bytes()).isEqualTo(test.blockBytes());
      sequence.append(11);
      try (KvAccess access = sequence.access()) {
        assertThat(access.positions(3)).containsExactly(0, 4, 9, 10);
        assertThat(access.pages()).isEqualTo(1);
      }
    }
  }

  @Test
  void aStepThatDropsOneTokenMovesOneRowOfEachLane() {
    try (TestEngine test = new TestEngine(16)) {
      Sequence sequence = test.open(new int[40]);

      assertThat(sequence.prunePrefix(1).movedRows()).isEqualTo(4);

      try (KvAccess access = sequence.access()) {
        assertThat(access.positions(0)).startsWith(39, 1, 2).endsWith(37, 38).hasSize(39);
      }
      assertThat(sequence.prunePrefix(1).movedRows()).isEqualTo(4);
      try (KvAccess access = sequence.access()) {
        assertThat(access.positions(0)).startsWith(39, 38, 2).hasSize(38);
      }
    }
  }

  @Test
  void whatOthersShareIsCopiedWhereItIsWrittenOnly() {
    try (TestEngine test = new TestEngine(16)) {
      test.open(TEXT).finish();
      Sequence sequence = test.open(TEXT);
      assertThat(sequence.matchedTokens()).isEqualTo(8);
      int[] before = sequence.blockTable();

      sequence.keep(KeptSets.of(new int[] {0, 1, 2, 3, 4, 8, 9}));

      assertThat(sequence.blockTable()[0]).isEqualTo(before[0]);
      assertThat(sequence.blockTable()[1]).isNotEqualTo(before[1]);
      assertThat(test.report().traffic().copiedBlocks()).isOne();
      assertThat(test.report().evictableBlocks()).isEqualTo(2);
      try (KvAccess access = sequence.access()) {
        assertThat(access.writable(0)).isFalse();
        assertThat(access.writable(1)).isTrue();
      }
      assertThat(test.open(TEXT).matchedTokens()).isEqualTo(8);
    }
  }

  @Test
  void aPrunedSequenceIsFreedAndNotPublished() {
    try (TestEngine test = new TestEngine(16)) {
      Sequence sequence = test.open(TEXT);
      sequence.prunePrefix(1);
      Sequence fork = sequence.fork();
      sequence.finish();
      fork.finish();

      assertThat(sequence.state()).isEqualTo(SequenceState.FINISHED);
      assertThat(test.report().cachedBlocks()).isZero();
      assertThat(test.pool.freeBlocks()).isEqualTo(16);
    }
  }

  @Test
  void keepingAllChangesNothing() {
    try (TestEngine test = new TestEngine(16)) {
      test.open(TEXT).finish();
      Sequence sequence = test.open(TEXT);

      assertThat(sequence.prunePrefix(0)).isEqualTo(new PruneResult(0, 10, 0, 0, 0));
      sequence.append(11, 12);
      sequence.finish();

      assertThat(test.report().cachedBlocks()).isEqualTo(3);
    }
  }

  @Test
  void aRefusalForLackOfSpaceLeavesAllAsItWas() {
    try (TestEngine test = new TestEngine(5)) {
      Sequence sequence = test.open(TEXT);
      sequence.fork();
      test.open(1, 1, 1, 1, 1);

      assertThatThrownBy(() -> sequence.prunePrefix(1))
          .isInstanceOf(OutOfBlocksException.class)
          .hasMessageContaining("'sequence 1' needs '3' more blocks");

      assertThat(sequence.length()).isEqualTo(10);
      sequence.finish();
      assertThat(test.report().cachedBlocks()).isEqualTo(2);
    }
  }

  @Test
  void lanesOfAGroupKeepEquallyManyAndAnAccessMustBeClosed() {
    try (TestEngine test = new TestEngine(16)) {
      Sequence sequence = test.open(TEXT);

      assertThatThrownBy(() -> sequence.keep(KeptSets.of(new int[] {1}, new int[] {1, 2})))
          .hasMessage(
              "lanes of lane group '0' must keep equally many tokens, not '1' and '2'; take a layout with more than 1 lane groups");
      assertThatThrownBy(() -> sequence.keep(KeptSets.of(new int[] {2, 2})))
          .hasMessage(
              "kept index '2' of set '0' comes after '2'; name each index once, oldest first");
      assertThatThrownBy(() -> sequence.keep(KeptSets.of(new int[] {2, 10})))
          .hasMessage("kept index '10' of set '0' must be from 0 to 9");
      assertThatThrownBy(() -> sequence.keep(KeptSets.of(new int[1], new int[1], new int[1])))
          .hasMessage(
              "'3' kept sets must be 1, one for each of 2 layers or one for each of 4 lanes");
      assertThatThrownBy(() -> sequence.prunePrefix(11))
          .hasMessage("prefix of '11' tokens must be from 0 to the length 10");
      try (KvAccess access = sequence.access()) {
        assertThat(access.length(0)).isEqualTo(10);
        assertThatThrownBy(() -> sequence.prunePrefix(1))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("cannot be pruned");
      }
      assertThat(sequence.length()).isEqualTo(10);
    }
  }

  @Test
  void aDeviceThatFailsHalfwayEndsTheSequence() {
    KvLayout layout = new KvLayout(1, 1, 2, 4, DType.FP32);
    try (HostDevice host = new HostDevice()) {
      FailingDevice device = new FailingDevice("cuda:0", host);
      KvPool pool = KvPool.open(layout, device, 4L * layout.blockBytes());
      Engine engine = new Engine();
      engine.add(
          pool,
          new InlineBlockCache(4, System::nanoTime, new GhostWindow(64), OnFault.FALL_BACK),
          1,
          1);
      Sequence sequence = engine.open(SequenceRequest.of(TestEngine.MODEL, TEXT));
      device.failNext();

      assertThatThrownBy(() -> sequence.prunePrefix(5)).isInstanceOf(DeviceException.class);

      assertThat(sequence.state()).isEqualTo(SequenceState.ABORTED);
      assertThat(pool.freeBlocks()).isEqualTo(4);
      engine.close();
      pool.close();
    }
  }
}
