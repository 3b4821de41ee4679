package dev.ebb.llama.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.llama.testing.TinyModel;
import dev.ebb.llama.testing.TinyModelTest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LlamaContextTest extends TinyModelTest {

  private static final int END = Integer.MAX_VALUE;

  @Test
  void readsTheShapeFromTheFile() {
    assertThat(model.shape())
        .isEqualTo(new ModelShape("llama", 3, 4, 2, 16, 4096, new TinyModel().vocabularySize()));
    assertThat(model.description()).startsWith("llama");
    assertThat(model.bytes()).isPositive();
  }

  @Test
  void cutsTextIntoTokensAndPutsThemTogetherAgain() {
    String text = " the cat sat on é";
    int[] tokens = model.tokenize(text, false);
    StringBuilder hex = new StringBuilder();
    byte[] all = new byte[0];
    for (int token : tokens) {
      byte[] piece = model.piece(token);
      byte[] longer = Arrays.copyOf(all, all.length + piece.length);
      System.arraycopy(piece, 0, longer, all.length, piece.length);
      all = longer;
      hex.append(token).append(' ');
    }
    assertThat(tokens[0]).as("begin of text").isEqualTo(1);
    assertThat(new String(all, StandardCharsets.UTF_8)).as(hex.toString()).endsWith(text);
  }

  @Test
  void knowsTheEndOfText() {
    assertThat(model.endsGeneration(2)).isTrue();
    assertThat(model.endsGeneration(5)).isFalse();
  }

  @Test
  void computesTheSameLogitsWhetherWatchedOrNot() {
    int[] prompt = tokens(40, 7);
    try (LlamaContext alone = context(128, null);
        LlamaContext watched = context(128, (layer, rows, heads, queries, cells) -> {})) {
      for (LlamaContext context : new LlamaContext[] {alone, watched}) {
        assertThat(context.decode(0, prompt, 0)).isTrue();
      }
      assertThat(watched.logits()).containsExactly(alone.logits());
      for (int i = 0; i < 20; i++) {
        alone.decode(0, new int[] {i + 10}, 40 + i);
        watched.decode(0, new int[] {i + 10}, 40 + i);
        assertThat(watched.logits()).containsExactly(alone.logits());
      }
    }
  }

  @Test
  void showsAttentionOfEveryLayerWithRowsThatSumToOne() {
    int[] seen = new int[TinyModel.LAYERS];
    AttentionWatch watch =
        (layer, rows, heads, queries, cells) -> {
          seen[layer]++;
          assertThat(heads).isEqualTo(TinyModel.QUERY_HEADS);
          assertThat(queries).isEqualTo(24);
          for (int row = 0; row < heads * queries; row++) {
            double sum = 0;
            int query = row % queries;
            for (int cell = 0; cell < cells; cell++) {
              float paid = at(rows, row * cells + cell);
              sum += paid;
              if (cell > query) {
                assertThat(paid).as("the future").isZero();
              }
            }
            assertThat(sum).isCloseTo(1, within(1e-5));
          }
        };
    try (LlamaContext context = context(128, watch)) {
      context.decode(0, tokens(24, 3), 0);
    }
    assertThat(seen).containsOnly(1);
  }

  @Test
  void givesOutTheExceptionOfWhoWatches() {
    AttentionWatch watch =
        (layer, rows, heads, queries, cells) -> {
          throw new ArithmeticException("on purpose");
        };
    try (LlamaContext context = context(64, watch)) {
      assertThatThrownBy(() -> context.decode(0, tokens(4, 3), 0))
          .isInstanceOf(ArithmeticException.class)
          .hasMessage("on purpose");
    }
  }

  @Test
  void freesCellsAndUsesThemAgain() {
    try (LlamaContext context = context(64, null)) {
      context.decode(0, tokens(30, 1), 0);
      assertThat(context.cells().used()).isEqualTo(30);
      context.remove(0, 4, 20);
      KvCells cells = context.cells();
      assertThat(cells.used()).isEqualTo(14);
      assertThat(IntStream.of(cells.inOrder()).map(cells::position).toArray())
          .containsExactly(
              IntStream.concat(IntStream.range(0, 4), IntStream.range(20, 30)).toArray());
      context.decode(0, new int[] {9}, 30);
      assertThat(context.cells().position(4)).isEqualTo(30);
    }
  }

  @Test
  void reportsThatNoCellIsFreeAndChangesNothing() {
    try (LlamaContext context = context(64, null)) {
      int cells = context.cells().count();
      for (int at = 0; at < cells; at += 8) {
        assertThat(context.decode(0, tokens(8, at), at)).isTrue();
      }
      assertThat(context.decode(0, new int[] {3}, cells)).isFalse();
      context.remove(0, 0, 1);
      assertThat(context.decode(0, new int[] {3}, cells)).isTrue();
      assertThat(context.cells().used()).isEqualTo(cells);
    }
  }

  /** The second sequence does not see the tokens, though they are in their cells. */
  @Test
  void computesWithoutRemovedTokensWhatItComputesWithThemMasked() {
    int[] prompt = tokens(40, 5);
    try (LlamaContext removed = context(128, null);
        LlamaContext masked = context(128, null);
        LlamaContext whole = context(128, null)) {
      for (LlamaContext context : new LlamaContext[] {removed, masked, whole}) {
        context.decode(0, prompt, 0);
      }
      removed.remove(0, 5, 25);
      masked.share(0, 1, 0, 5);
      masked.share(0, 1, 25, END);
      for (int i = 0; i < 12; i++) {
        int[] next = {20 + i};
        removed.decode(0, next, 40 + i);
        masked.decode(1, next, 40 + i);
        whole.decode(0, next, 40 + i);
        assertClose(removed.logits(), masked.logits(), 1e-3);
      }
      assertThat(distance(removed.logits(), whole.logits())).isGreaterThan(1e-2);
      assertThat(removed.cells().used()).isEqualTo(32);
      assertThat(masked.cells().used()).isEqualTo(52);
    }
  }

  @Test
  void drawsTheSameOfEqualSeeds() {
    try (LlamaContext context = context(64, null);
        Sampler greedy = Sampler.greedy();
        Sampler one = Sampler.random(1.5f, 40, 11);
        Sampler same = Sampler.random(1.5f, 40, 11)) {
      context.decode(0, tokens(10, 2), 0);
      float[] logits = context.logits();
      int best =
          IntStream.range(0, logits.length)
              .reduce((a, b) -> logits[b] > logits[a] ? b : a)
              .orElseThrow();
      assertThat(greedy.next(context)).isEqualTo(best);
      int[] drawn = IntStream.range(0, 20).map(i -> one.next(context)).toArray();
      assertThat(IntStream.range(0, 20).map(i -> same.next(context)).toArray())
          .containsExactly(drawn);
      assertThat(IntStream.of(drawn).distinct().count()).isGreaterThan(1);
    }
  }

  @Test
  void refusesEveryCallAfterItWasClosed() {
    LlamaContext context = context(64, null);
    assertThatThrownBy(model::close).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(context::logits).hasMessage("nothing has been computed");
    context.close();
    context.close();
    assertThatThrownBy(() -> context.decode(0, new int[] {1}, 0))
        .hasMessage("the context is closed");
    assertThatThrownBy(context::logits).hasMessage("the context is closed");
    assertThatThrownBy(context::cells).hasMessage("the context is closed");
    assertThatThrownBy(() -> context.remove(0, 0, 1)).hasMessage("the context is closed");
    Sampler sampler = Sampler.greedy();
    assertThatThrownBy(() -> sampler.next(context)).hasMessage("the context is closed");
    sampler.close();
    assertThatThrownBy(() -> sampler.next(context)).hasMessage("the sampler is closed");
  }

  @Test
  void cannotBeClosedByWhoWatches() {
    LlamaContext[] watched = new LlamaContext[1];
    try (LlamaContext context =
        context(64, (l, rows, heads, queries, cells) -> watched[0].close())) {
      watched[0] = context;
      assertThatThrownBy(() -> context.decode(0, new int[] {1}, 0))
          .hasMessage("the context is computing");
    }
  }

  @Test
  void stopsInTheMiddleOfABatch() {
    LlamaContext[] stopped = new LlamaContext[1];
    int[] layers = new int[1];
    AttentionWatch watch =
        (layer, rows, heads, queries, cells) -> {
          layers[0]++;
          stopped[0].stop();
        };
    try (LlamaContext context = context(64, watch);
        Sampler greedy = Sampler.greedy()) {
      stopped[0] = context;
      assertThatThrownBy(() -> context.decode(0, tokens(8, 3), 0))
          .isInstanceOf(CancellationException.class);
      assertThat(layers[0]).isEqualTo(1);
      assertThatThrownBy(() -> context.decode(0, new int[] {1}, 8))
          .isInstanceOf(CancellationException.class);
      assertThatThrownBy(context::logits).hasMessage("nothing has been computed");
      assertThatThrownBy(() -> greedy.next(context)).hasMessage("nothing has been computed");
    }
    stopped[0].stop();
  }

  @Test
  void stopsWithoutAReader() throws InterruptedException {
    try (LlamaContext context = context(4096, null)) {
      Thread impatient = new Thread(context::stop);
      impatient.start();
      assertThatThrownBy(
              () -> {
                for (int at = 0; true; at += 64) {
                  context.decode(0, tokens(64, 3), at);
                  context.remove(0, 0, at);
                }
              })
          .isInstanceOf(CancellationException.class);
      impatient.join();
    }
  }

  @Test
  void hasNoLogitsOfABatchThatFailed() {
    AttentionWatch watch =
        (layer, rows, heads, queries, cells) -> {
          if (queries == 4) {
            throw new ArithmeticException("on purpose");
          }
        };
    try (LlamaContext context = context(64, watch);
        Sampler greedy = Sampler.greedy()) {
      context.decode(0, tokens(8, 3), 0);
      assertThat(greedy.next(context)).isNotNegative();
      assertThatThrownBy(() -> context.decode(0, tokens(4, 3), 8))
          .isInstanceOf(ArithmeticException.class);
      assertThatThrownBy(() -> greedy.next(context)).hasMessage("nothing has been computed");
    }
  }

  @Test
  void refusesTokensThatTheModelDoesNotHave() {
    try (LlamaContext context = context(64, null)) {
      assertThatThrownBy(() -> context.decode(0, new int[] {100_000}, 0))
          .hasMessage("there is no token 100000");
      assertThatThrownBy(() -> context.decode(0, new int[65], 0))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> context.decode(2, new int[1], 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  private LlamaContext context(int cells, @Nullable AttentionWatch watch) {
    return new LlamaContext(model, new ContextOptions(cells, cells, 2, 1, watch));
  }

  private static int[] tokens(int count, int seed) {
    return new Random(seed).ints(count, 3, 270).toArray();
  }

  private static float at(MemorySegment rows, long index) {
    return rows.getAtIndex(ValueLayout.JAVA_FLOAT, index);
  }

  private static double distance(float[] one, float[] other) {
    return IntStream.range(0, one.length)
        .mapToDouble(i -> Math.abs(one[i] - other[i]))
        .max()
        .orElseThrow();
  }

  private static void assertClose(float[] one, float[] other, double tolerance) {
    assertThat(distance(one, other)).isLessThan(tolerance);
  }
}
