package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceEnd;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.request.SequenceStateException;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import dev.ebb.spi.Request;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SequenceTest {

  private static final int[] TWO_BLOCKS = {1, 2, 3, 4, 5, 6, 7, 8};

  @Test
  void whatIsPublishedIsSharedWithTheNextPrompt() {
    try (TestEngine test = new TestEngine(8)) {
      Sequence first = test.open(1, 2, 3, 4, 5);
      first.append(6, 7, 8, 9);
      int[] table = first.blockTable();
      assertThat(test.pool.info(table[0]).owner()).isEqualTo("sequence 1");
      first.finish();
      assertThat(test.pool.held())
          .singleElement()
          .satisfies(held -> {
            assertThat(held.owner()).isEqualTo("prefix cache");
            assertThat(held.blocks()).isEqualTo(2);
          });

      Sequence second = test.open(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);

      assertThat(second.matchedTokens()).isEqualTo(8);
      assertThat(second.blockTable()).startsWith(table[0], table[1]).hasSize(3);
    }
  }

  @Test
  void policiesSeeTheAttributesOfARequest() {
    List<String> seen = new ArrayList<>();
    BlockPolicy<?> recorder =
        new RankedBlockPolicy() {
          @Override
          protected double rank(Entry entry) {
            seen.add("entry %d %s".formatted(entry.lifetimeHintNanos(), entry.recomputeCost()));
            return 0;
          }

          @Override
          public void ended(Request request) {
            seen.add(
                "request %d %s".formatted(request.lifetimeHintNanos(), request.recomputeCost()));
          }
        };
    try (TestEngine test = new TestEngine(8)) {
      test.cache.install("recorder", recorder);
      SequenceRequest plain = SequenceRequest.of(TestEngine.MODEL, 1, 2, 3, 4, 5);
      test.engine.open(plain).finish();
      test.engine
          .open(
              plain
                  .withLifetime(Duration.ofMillis(3))
                  .withRecomputeCost(4.5)
                  .withHint(2)
                  .withConversation(9, 1)
                  .withMaxLength(50))
          .finish();
      assertThat(test.cache.policySize()).isEqualTo(1);
      assertThat(seen)
          .containsExactly(
              "entry -1 NaN", "request -1 NaN", "entry 3000000 4.5", "request 3000000 4.5");
      assertThatThrownBy(() -> plain.withLifetime(Duration.ofSeconds(-1)))
          .hasMessageContainingAll("'PT-1S'", "at least 0");
      assertThatThrownBy(() -> plain.withRecomputeCost(Double.NaN))
          .hasMessageContainingAll("'NaN'", "milliseconds");
    }
  }

  @Test
  void policiesReceiveWhatOnlyTheEndShows() {
    List<String> seen = new ArrayList<>();
    BlockPolicy<?> recorder =
        new RankedBlockPolicy() {
          @Override
          protected double rank(Entry entry) {
            seen.add("entry " + entry.hint());
            return 0;
          }

          @Override
          public void began(Request request) {
            seen.add("began %d %s".formatted(request.hint(), request.finishReason()));
          }

          @Override
          public void ended(Request request) {
            seen.add(
                "ended %d %s %d"
                    .formatted(request.hint(), request.finishReason(), request.returnAfterNanos()));
          }
        };
    try (TestEngine test = new TestEngine(8)) {
      test.cache.install("recorder", recorder);
      Duration soon = Duration.ofNanos(7);
      test.open(1, 2, 3, 4).finish(new SequenceEnd(3, "tool_calls", soon));
      assertThat(seen).containsExactly("began 0 null", "entry 3", "ended 3 tool_calls 7");
      assertThatThrownBy(() -> new SequenceEnd(0, null, soon.negated()))
          .hasMessageContainingAll("'PT-0.000000007S'", "at least 0");
    }
  }

  @Test
  void nothingIsSharedAcrossModelAdapterSaltAndImages() {
    Namespace plain = TestEngine.MODEL;
    List<Namespace> others =
        List.of(
            Namespace.of("other"),
            plain.withAdapter("lora"),
            plain.withSalt("lora"),
            plain.withMultimodalHashes(List.of("lora")),
            plain.withMultimodalHashes(List.of("lo", "ra")),
            plain.withAdapter(""),
            plain.withSalt(""));
    try (TestEngine test = new TestEngine(40)) {
      test.open(TWO_BLOCKS).finish();
      for (Namespace other : others) {
        Sequence sequence = test.engine.open(SequenceRequest.of(other, TWO_BLOCKS));
        assertThat(sequence.matchedTokens()).as("%s", other).isZero();
        sequence.finish();
      }
      for (Namespace other : others) {
        Sequence again = test.engine.open(SequenceRequest.of(other, TWO_BLOCKS));
        assertThat(again.matchedTokens()).isEqualTo(8);
      }
    }
  }

  @Test
  void onlyWhatHasBeenWrittenIsPublished() {
    try (TestEngine test = new TestEngine(8)) {
      test.open(TWO_BLOCKS).finish(7);

      assertThat(test.open(TWO_BLOCKS).matchedTokens()).isEqualTo(4);
    }
  }

  @Test
  void twoThatMakeTheSameBlocksLeaveOneCopy() {
    try (TestEngine test = new TestEngine(8)) {
      Sequence first = test.open(TWO_BLOCKS);
      Sequence second = test.open(TWO_BLOCKS);
      assertThat(test.pool.freeBlocks()).isEqualTo(4);
      first.finish();
      second.finish();

      assertThat(test.pool.freeBlocks()).isEqualTo(6);
      assertThat(test.open(TWO_BLOCKS).matchedTokens()).isEqualTo(8);
    }
  }

  @Test
  void sharedPagesCanBeReadAndNotWritten() {
    try (TestEngine test = new TestEngine(8)) {
      test.open(1, 2, 3, 4).finish();
      Sequence sequence = test.open(1, 2, 3, 4, 5);
      try (KvAccess access = sequence.access()) {
        assertThat(access.writable(0)).isFalse();
        assertThat(access.writable(1)).isTrue();
        MemorySegment shared = access.keys(0, 0);
        assertThatThrownBy(() -> shared.set(ValueLayout.JAVA_INT, 0, 1))
            .isInstanceOf(IllegalArgumentException.class);
        access.values(3, 1).set(ValueLayout.JAVA_INT, 0, 42);
        assertThat(access.valueAddress(3, 1)).isEqualTo(access.values(3, 1).address());
        assertThatThrownBy(() -> access.keys(4, 0)).hasMessageContaining("lane '4'");
        assertThatThrownBy(() -> access.keys(0, 2)).hasMessageContaining("page '2'");
      }
    }
  }

  @Test
  void aForkCopiesTheLastBlockOnlyWhenItGrows() {
    try (TestEngine test = new TestEngine(8)) {
      Sequence parent = test.open(1, 2, 3, 4, 5);
      Sequence child = parent.fork();
      assertThat(child.blockTable()).isEqualTo(parent.blockTable());
      assertThat(test.pool.freeBlocks()).isEqualTo(6);

      child.append(6);
      assertThat(child.blockTable()[0]).isEqualTo(parent.blockTable()[0]);
      assertThat(child.blockTable()[1]).isNotEqualTo(parent.blockTable()[1]);
      int last = parent.blockTable()[1];
      parent.append(7);
      assertThat(parent.blockTable()[1]).isEqualTo(last);
      assertThat(test.report().traffic().copiedBlocks()).isOne();
    }
  }

  @Test
  void aSequenceWithAnOpenAccessIsNotEnded() {
    try (TestEngine test = new TestEngine(8)) {
      Sequence sequence = test.open(1, 2);
      KvAccess access = sequence.access();
      assertThatThrownBy(sequence::finish)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("sequence '1' cannot be finished: '1' accesses are open; close them first");
      assertThatThrownBy(sequence::abort).hasMessageContaining("cannot be aborted");
      access.close();
      access.close();
      sequence.finish();
      assertThatThrownBy(() -> access.keys(0, 0)).hasMessageContaining("is closed");
    }
  }

  @Test
  void aBlockInUseIsNotFreedForTheSameOfAnotherSequence() {
    try (TestEngine test = new TestEngine(8)) {
      Sequence first = test.open(1, 2, 3, 4);
      Sequence second = test.open(1, 2, 3, 4);
      int own = second.blockTable()[0];
      first.publish(4);
      try (KvAccess access = second.access()) {
        assertThat(second.publish(4)).isZero();
        assertThat(test.pool.info(own).references()).isEqualTo(1);
        assertThat(second.blockTable()).containsExactly(own);
        assertThat(access.keys(0, 0)).isNotNull();
      }
      assertThat(second.publish(4)).isEqualTo(4);
      assertThat(second.blockTable()).isEqualTo(first.blockTable());
      assertThat(test.pool.info(own).references()).isZero();
      first.finish();
      second.finish();
    }
  }

  @Test
  void anEndedSequenceSaysSo() {
    try (TestEngine test = new TestEngine(8)) {
      Sequence sequence = test.open(1, 2);
      sequence.abort();
      sequence.close();
      assertThat(sequence.state()).isEqualTo(SequenceState.ABORTED);
      assertThatThrownBy(sequence::fork)
          .isInstanceOfSatisfying(
              SequenceStateException.class,
              refused -> assertThat(refused.state()).isEqualTo(SequenceState.ABORTED))
          .hasMessage("sequence '1' is 'ABORTED'; open another one");
      assertThatThrownBy(sequence::blockTable).isInstanceOf(SequenceStateException.class);
    }
  }

  @Test
  void betweenBatchesBlocksInUseStay() {
    try (TestEngine test = new TestEngine(64)) {
      Sequence[] all = new Sequence[32];
      for (int i = 0; i < all.length; i++) {
        all[i] = test.open(i, i, i, i, i);
      }
      KvAccess access = all[1].access();
      int[] held = all[1].blockTable();
      for (int i = 0; i < all.length; i += 2) {
        all[i].abort();
      }
      int[] free = all[3].blockTable();
      long bytes = 64L * test.pool.layout().blockBytes();
      assertThat(test.partition.movement.inBackground(0, bytes).blocksMoved()).isZero();
      assertThat(all[3].blockTable()).isEqualTo(free);
      assertThat(test.partition.movement.betweenBatches(0, bytes).blocksMoved()).isPositive();
      assertThat(all[1].blockTable()).isEqualTo(held);
      access.close();
    }
  }
}
