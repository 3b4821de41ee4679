package dev.ebb.host.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The next requests of a trace count as waiting. */
class LookaheadTest {

  /** A request returns after two others; the cache has two blocks. */
  private static final String RETURNS =
      trace(List.of(List.of(1L), List.of(2L), List.of(3L), List.of(1L)));

  @Test
  void policiesSeeTheNextRequestsInTheirOrder() {
    KeepsAwaited policy = new KeepsAwaited();
    List<List<Long>> chains = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      chains.add(Collections.nCopies(i, 7L));
    }

    ReplayResult result = replay(ReplayModel.PREFIX, policy, 9, 2, trace(chains), 100);

    assertThat(policy.queues)
        .containsExactly(List.of(1, 2), List.of(2, 3), List.of(3, 4), List.of(4), List.of());
    assertThat(result.requests()).isEqualTo(5);
    assertThat(result.references()).isEqualTo(10);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 1", "2, 1", "10000, 1"})
  void aPolicyCanKeepABlockThatItWouldEvictOtherwise(int lookahead, long hits) {
    assertThat(replay(ReplayModel.PREFIX, new KeepsAwaited(), 2, lookahead, RETURNS, 100).hits())
        .isEqualTo(hits);
  }

  @ParameterizedTest
  @EnumSource
  void objectsAreSeenToWaitToo(ReplayModel model) {
    assertThat(replay(model, new KeepsAwaited(), 2, 1, RETURNS, 100).hits()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aStreamReadInPiecesHasTheSameQueue(int piece) {
    KeepsAwaited policy = new KeepsAwaited();

    ReplayResult result = replay(ReplayModel.PREFIX, policy, 2, 2, RETURNS, piece);

    assertThat(policy.queues).containsExactly(List.of(1, 1), List.of(1, 1), List.of(1), List.of());
    assertThat(result.hits()).isEqualTo(1);
  }

  private static String trace(List<List<Long>> requests) {
    StringBuilder lines = new StringBuilder();
    for (List<Long> ids : requests) {
      lines.append(
          "{\"timestamp\":0,\"input_length\":9,\"output_length\":1,\"hint\":2,\"hash_ids\":%s}%n"
              .formatted(ids));
    }
    return lines.toString();
  }

  private static ReplayResult replay(
      ReplayModel model,
      BlockPolicy<?> policy,
      int capacity,
      int lookahead,
      String lines,
      int piece) {
    return TestReplay.run(model, policy, capacity, lookahead, null, lines, piece, false, run -> {});
  }

  /** Evicts the oldest block that no waiting request needs. */
  private static final class KeepsAwaited implements BlockPolicy<Entry> {

    final List<List<Integer>> queues = new ArrayList<>();
    private final Set<Entry> entries = new LinkedHashSet<>();
    private final Set<Long> awaited = new HashSet<>();

    @Override
    public void began(Request request) {
      awaited.clear();
      List<Integer> queue = new ArrayList<>();
      for (int i = 0; i < request.waiting(); i++) {
        Request waiting = request.waiting(i);
        queue.add(waiting.blocks());
        assertThat(waiting.matched()).isZero();
        for (int block = 0; block < waiting.blocks(); block++) {
          awaited.add(waiting.fingerprint(block));
        }
      }
      queues.add(queue);
    }

    @Override
    public Entry inserted(Entry entry) {
      entries.add(entry);
      return entry;
    }

    @Override
    public void accessed(Entry entry) {}

    @Override
    public @Nullable Entry victim(Demand demand) {
      return entries.stream()
          .filter(entry -> !awaited.contains(entry.fingerprint()))
          .findFirst()
          .orElse(null);
    }

    @Override
    public void removed(Entry entry, RemovalCause cause) {
      entries.remove(entry);
    }

    @Override
    public void refused(Entry entry) {
      entries.remove(entry);
    }

    @Override
    public void released(Entry entry) {
      entries.add(entry);
    }

    @Override
    public long size() {
      return entries.size();
    }
  }
}
