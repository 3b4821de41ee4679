package dev.ebb.host.engine.sequence;

import static dev.ebb.host.engine.sequence.RandomPrompts.join;
import static dev.ebb.host.engine.sequence.RandomPrompts.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.engine.pool.BlockUse;
import dev.ebb.host.engine.pool.LaneWindows;
import dev.ebb.host.engine.pool.PoolMap;
import dev.ebb.host.testing.Histories;
import dev.ebb.host.tokens.rows.KeptSets;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An engine whose keys tell the tokens that they were computed from, so that wrong ones show. */
class WindowedSequencesTest {

  private static final int BLOCK = TestEngine.BLOCK_TOKENS;
  private static final int BLOCKS = 800;

  /** Two lane groups of full attention, and two that attend to the last one and two pages. */
  private static final LaneWindows WINDOWS = new LaneWindows(0, 1, 0, 2);

  private TestEngine host = new TestEngine(BLOCKS, WINDOWS, 1, 1);

  @AfterEach
  void close() {
    host.close();
  }

  private static int key(int[] tokens, int position, int lane) {
    int hash = lane;
    for (int i = 0; i <= position; i++) {
      hash = 31 * hash + tokens[i];
    }
    return hash;
  }

  /** Computes tokens as an engine does: their keys in all lanes. */
  private void compute(Sequence sequence, int from, int... tokens) {
    try (KvAccess access = sequence.access()) {
      for (int lane = 0; lane < 4; lane++) {
        for (int i = from; i < tokens.length; i++) {
          access
              .keys(lane, i / BLOCK)
              .set(ValueLayout.JAVA_INT, 12L * (i % BLOCK), key(tokens, i, lane));
        }
      }
    }
  }

  /** Checks all that the next token attends to. */
  private void check(Sequence sequence, int count, int... tokens) {
    try (KvAccess access = sequence.reading()) {
      for (int lane = 0; lane < 4; lane++) {
        for (int i = BLOCK * WINDOWS.first(lane, count / BLOCK); i < count; i++) {
          assertThat(access.keys(lane, i / BLOCK).get(ValueLayout.JAVA_INT, 12L * (i % BLOCK)))
              .isEqualTo(key(tokens, i, lane));
        }
      }
    }
  }

  private int serve(int... tokens) {
    try (Sequence sequence = host.open(tokens)) {
      int matched = sequence.matchedTokens();
      check(sequence, matched, tokens);
      compute(sequence, matched, tokens);
      sequence.finish();
      return matched;
    }
  }

  @Test
  void aPromptGoesOnWhereAnotherEndsOrLeavesIt() {
    int[] first = tokens(1, 8 * BLOCK);
    assertThat(serve(first)).isZero();
    assertThat(serve(first)).isEqualTo(8 * BLOCK);
    assertThat(serve(join(first, tokens(2, 9)))).isEqualTo(8 * BLOCK);
    // There is room for all blocks, so any point of the prompt will do.
    assertThat(serve(join(Arrays.copyOf(first, 3 * BLOCK), tokens(3, 9)))).isEqualTo(3 * BLOCK);
  }

  @Test
  void blocksOutsideWindowsAreReleasedWhileASequenceRuns() {
    int[] tokens = tokens(4, 20 * BLOCK);
    try (Sequence sequence = host.open(tokens)) {
      compute(sequence, 0, tokens);
      assertThat(host.pool.blocks() - host.pool.freeBlocks()).isEqualTo(4 * 20);
      sequence.publish(tokens.length);
      check(sequence, tokens.length, tokens);
      assertThat(Arrays.stream(sequence.blockTable(1)).filter(block -> block < 0)).hasSize(19);
      assertThat(sequence.blockTable(2)).doesNotContain(-1).hasSize(20);
      assertThat(sequence.bytes()).isEqualTo((20 + 1 + 20 + 2) * (long) host.blockBytes());
      try (KvAccess access = sequence.reading()) {
        assertThatThrownBy(() -> access.keys(1, 3)).hasMessageContaining("page '3' has left");
      }
      // What has left is cached while there is room.
      assertThat(host.pool.blocks() - host.pool.freeBlocks()).isEqualTo(4 * 20);
      int[] other = tokens(5, 170 * BLOCK);
      try (Sequence second = host.open(other)) {
        compute(second, 0, other);
        check(sequence, tokens.length, tokens);
        second.finish();
      }
      sequence.finish();
    }
    assertThat(serve(join(tokens, 7))).isEqualTo(20 * BLOCK);
  }

  @Test
  void refusesWhatNeedsAllBlocks() {
    try (Sequence sequence = host.open(tokens(5, 9))) {
      assertThatThrownBy(sequence::fork).hasMessageContaining("windows cannot be forked");
      assertThatThrownBy(() -> sequence.save(Path.of("none"))).hasMessageContaining("saved");
      assertThatThrownBy(() -> sequence.prunePrefix(1)).hasMessageContaining("pruned");
      assertThatThrownBy(() -> sequence.keep(KeptSets.of(new int[][] {{0}})))
          .hasMessageContaining("pruned");
    }
  }

  /** Random prompts, several at a time, in a pool that is too small: no key is of other tokens. */
  @ParameterizedTest
  @ValueSource(longs = {6, 7, 8})
  void neverReadsTheKeysOfOtherTokens(long seed) {
    double windowed = matched(seed);
    host.close();
    host = new TestEngine(BLOCKS, LaneWindows.none(4), 1, 1);
    assertThat(windowed).as("more is reused").isGreaterThan(matched(seed) + .02);
  }

  private double matched(long seed) {
    RandomPrompts prompts =
        new RandomPrompts(host, seed) {
          @Override
          int start(Random random, int length) {
            // Most prompts go on from the end of another one.
            return random.nextInt(5) == 0 ? 1 + random.nextInt(length) : length;
          }

          @Override
          int prefill(Random random, Sequence sequence, int... tokens) {
            int found = sequence.matchedTokens();
            if (!host.partition.windows.areFull()) {
              WindowedSequencesTest.this.check(sequence, found, tokens);
            }
            compute(sequence, found, tokens);
            if (random.nextBoolean()) {
              sequence.publish(tokens.length);
            }
            return found;
          }

          @Override
          void finish(Sequence sequence, int computed, int... tokens) {
            compute(sequence, computed, tokens);
            sequence.finish();
          }

          @Override
          void check(List<Sequence> open) {
            checkAccounts(open);
          }
        };
    double matched = prompts.run(Histories.times(1_200), 60, 60 * BLOCK, 3);
    assertThat(host.cache.residentBlocks()).isZero();
    return matched;
  }

  /** The cache has as many blocks as it counts, and all others in use are of sequences. */
  private void checkAccounts(List<Sequence> open) {
    int unit = host.partition.windows.unit();
    int cached = 0;
    int used = 0;
    PoolMap map = host.map();
    for (int block = 0; block < BLOCKS; block++) {
      cached += host.partition.cached.holds(block) ? 1 : 0;
      used += map.use(block) == BlockUse.FREE ? 0 : 1;
    }
    assertThat((long) cached).isEqualTo(host.cache.residentBlocks() * unit);
    assertThat(host.pool.freeBlocks()).isEqualTo(BLOCKS - used);
    long own = open.stream().mapToLong(each -> each.home.ownBlocks()).sum();
    assertThat((long) used).isBetween((long) cached, cached + own);
  }
}
