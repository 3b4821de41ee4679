package dev.ebb.host.engine.sequence;

import static dev.ebb.host.engine.sequence.RandomPrompts.join;
import static dev.ebb.host.engine.sequence.RandomPrompts.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.engine.state.SavedStates;
import dev.ebb.host.engine.state.StateStats;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An engine whose state is a hash of all tokens, so that a wrong one is noticed. */
class RecurrentSequencesTest {

  private static final int BLOCK = TestEngine.BLOCK_TOKENS;
  private static final int BLOCKS = 60;

  /** Not whole blocks of the pool. */
  private static final int LONGS = 70;

  private final TestEngine host = new TestEngine(BLOCKS);
  private final Arena arena = Arena.ofShared();
  private final MemorySegment state = arena.allocate(LONGS * (long) Long.BYTES);
  private final SavedStates states;

  RecurrentSequencesTest() {
    host.partition.keepStates(LONGS * (long) Long.BYTES);
    states = Objects.requireNonNull(host.partition.states);
  }

  @AfterEach
  void close() {
    host.close();
    arena.close();
  }

  private MemorySegment stateAfter(int[] tokens, int count) {
    long hash = Arrays.hashCode(Arrays.copyOf(tokens, count)) * 0x9E3779B97F4A7C15L + count;
    for (int i = 0; i < LONGS; i++) {
      state.setAtIndex(ValueLayout.JAVA_LONG, i, hash + i);
    }
    return state;
  }

  private void checkMatched(Sequence sequence, int... tokens) {
    int matched = sequence.matchedTokens();
    assertThat(matched).isLessThan(tokens.length);
    assertThat(matched % BLOCK).isZero();
    if (matched > 0) {
      MemorySegment read = Arena.ofAuto().allocate(state.byteSize());
      sequence.loadState(read);
      assertThat(read.mismatch(stateAfter(tokens, matched))).isEqualTo(-1);
    }
  }

  /** Computes a prompt as an engine does, and returns how many tokens it did not compute. */
  private int prefill(Sequence sequence, int... tokens) {
    int matched = sequence.matchedTokens();
    for (int n = matched + 1; n <= tokens.length; n++) {
      if (sequence.wantsState(n)) {
        sequence.publish(n);
        sequence.saveState(n, stateAfter(tokens, n));
      }
    }
    return matched;
  }

  private void finish(Sequence sequence, int... tokens) {
    int full = tokens.length / BLOCK * BLOCK;
    if (full > 0) {
      sequence.publish(full);
      sequence.saveState(full, stateAfter(tokens, full));
    }
    sequence.finish();
  }

  private int serve(int... tokens) {
    try (Sequence sequence = host.open(tokens)) {
      checkMatched(sequence, tokens);
      int matched = prefill(sequence, tokens);
      finish(sequence, tokens);
      return matched;
    }
  }

  @Test
  void aStateNeedsMatchedTokensAndMemoryOfItsSize() {
    try (Sequence sequence = host.open(tokens(1, BLOCK + 1))) {
      MemorySegment small = Arena.ofAuto().allocate(8);
      String refused = "a state has '560' bytes, not '8'";

      assertThatThrownBy(() -> sequence.saveState(BLOCK, small)).hasMessage(refused);
      assertThatThrownBy(() -> sequence.loadState(small)).hasMessage(refused);
      assertThatThrownBy(() -> sequence.loadState(state))
          .hasMessage(
              "no state to load: '0' tokens of the prompt had matched; compute from the first one");
    }
  }

  @Test
  void goesOnWhereAPromptEndsOrLeavesAnother() {
    int[] first = tokens(1, 6 * BLOCK + 1);
    assertThat(serve(first)).isZero();
    assertThat(serve(first)).isEqualTo(6 * BLOCK);
    int[] branch = join(Arrays.copyOf(first, 3 * BLOCK + 2), tokens(2, 5));
    assertThat(serve(branch)).as("no state there").isZero();
    assertThat(serve(join(Arrays.copyOf(first, 3 * BLOCK + 1), tokens(3, 9))))
        .as("the second one has left a state")
        .isEqualTo(3 * BLOCK);
  }

  @Test
  void computesTheLastTokenAlways() {
    int[] whole = tokens(4, 4 * BLOCK);
    assertThat(serve(whole)).isZero();
    assertThat(serve(whole)).isEqualTo(3 * BLOCK);
    assertThat(serve(join(whole, 7))).isEqualTo(4 * BLOCK);
  }

  @Test
  void refusesWhatLosesTheState() {
    try (Sequence sequence = host.open(tokens(5, 9))) {
      assertThatThrownBy(sequence::fork).hasMessageContaining("forked");
      assertThatThrownBy(() -> sequence.save(Path.of("none"))).hasMessageContaining("saved");
      assertThatThrownBy(() -> sequence.saveState(3, state)).hasMessageContaining("'3' tokens");
      assertThat(sequence.saveState(BLOCK, state)).as("not published").isFalse();
    }
    try (TestEngine other = new TestEngine(8);
        Sequence sequence = other.open(tokens(5, 9))) {
      assertThat(sequence.wantsState(BLOCK)).isFalse();
      assertThatThrownBy(() -> sequence.saveState(BLOCK, state)).hasMessageContaining("withState");
    }
  }

  /** Random prompts, several at a time, in a pool that is too small: no state is a wrong one. */
  @Test
  void neverReadsTheStateOfOtherTokens() {
    RandomPrompts prompts =
        new RandomPrompts(host, 6) {
          @Override
          int start(Random random, int length) {
            return 1 + random.nextInt(length);
          }

          @Override
          int prefill(Random random, Sequence sequence, int... tokens) {
            checkMatched(sequence, tokens);
            return RecurrentSequencesTest.this.prefill(sequence, tokens);
          }

          @Override
          void finish(Sequence sequence, int computed, int... tokens) {
            RecurrentSequencesTest.this.finish(sequence, tokens);
          }

          @Override
          void check(List<Sequence> open) {
            checkAccounts();
          }
        };
    assertThat(prompts.run(20_000, 12, 15 * BLOCK, 4)).isGreaterThan(0.1);
    assertThat(states.stats().held()).isZero();
    assertThat(states.stats().saved()).isGreaterThan(1_000);
  }

  private void checkAccounts() {
    StateStats stats = states.stats();
    long cached = host.cache.residentEntries();
    assertThat(host.cache.residentBlocks())
        .isEqualTo(cached + (long) stats.held() * states.blocksEach());
    assertThat(stats.bytes())
        .isEqualTo((long) stats.held() * states.blocksEach() * host.blockBytes());
    assertThat(host.pool.blocks() - host.pool.freeBlocks())
        .isGreaterThanOrEqualTo((int) host.cache.residentBlocks());
  }
}
