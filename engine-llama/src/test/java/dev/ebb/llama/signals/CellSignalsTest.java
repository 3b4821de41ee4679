package dev.ebb.llama.signals;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.errors.UserError;
import dev.ebb.llama.binding.ContextOptions;
import dev.ebb.llama.binding.KvCells;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.ModelShape;
import dev.ebb.llama.testing.TinyModel;
import dev.ebb.llama.testing.TinyModelTest;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Granularity;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenPolicy.Trigger;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class CellSignalsTest extends TinyModelTest {

  private static final int STATE_SIZE = 2;
  private static final int WINDOW = 6;
  private static final Set<Signal> ALL = EnumSet.allOf(Signal.class);

  /** llama.cpp stores keys, and multiplies, in 16 bits. */
  private static final Offset<Double> HALF_PRECISION = within(5e-3);

  @Test
  void seesWhatTheFirstLayerComputes() {
    int[] tokens = new Random(4).ints(30, 3, 270).toArray();
    FirstLayer naive = new FirstLayer(weights, tokens);
    try (Sequence sequence = new Sequence()) {
      sequence.decode(tokens, 0, 20);
      for (int i = 20; i < 30; i++) {
        sequence.decode(tokens, i, i + 1);
      }
      CellView view = sequence.view();
      assertThat(view.length()).isEqualTo(30);
      assertThat(view.position()).isEqualTo(30);
      for (int token = 0; token < 30; token++) {
        assertToken(view, naive, token);
      }
    }
  }

  private static void assertToken(CellView view, FirstLayer naive, int token) {
    int length = view.length();
    MemorySegment keys = view.signal(Signal.KEYS, 0);
    MemorySegment norms = view.signal(Signal.KEY_NORM, 0);
    MemorySegment sums = view.signal(Signal.ACCUMULATED_ATTENTION, 0);
    MemorySegment rows = view.signal(Signal.WINDOW_ATTENTION, 0);
    int group = TinyModel.QUERY_HEADS / TinyModel.KV_HEADS;
    for (int head = 0; head < TinyModel.KV_HEADS; head++) {
      double[] key = naive.key(head, token);
      double squares = 0;
      for (int dim = 0; dim < key.length; dim++) {
        squares += key[dim] * key[dim];
        assertThat(at(keys, ((long) head * length + token) * key.length + dim))
            .isCloseTo(key[dim], within(1e-3));
      }
      assertThat(at(norms, (long) head * length + token))
          .isCloseTo(Math.sqrt(squares), within(1e-3));
      double received = 0;
      for (int query = 0; query < length; query++) {
        for (int member = head * group; member < (head + 1) * group; member++) {
          received += naive.attention(member, query)[token];
        }
      }
      assertThat(at(sums, (long) head * length + token)).isCloseTo(received, within(2e-2));
    }
    for (int head = 0; head < TinyModel.QUERY_HEADS; head++) {
      for (int query = 0; query < WINDOW; query++) {
        double paid = naive.attention(head, length - WINDOW + query)[token];
        assertThat(at(rows, ((long) head * WINDOW + query) * length + token))
            .isCloseTo(paid, HALF_PRECISION);
      }
    }
  }

  @Test
  void meansOfKeysAreOfTheTokensThatAreThere() {
    int[] tokens = new Random(8).ints(12, 3, 270).toArray();
    FirstLayer naive = new FirstLayer(weights, tokens);
    try (Sequence sequence = new Sequence()) {
      sequence.decode(tokens, 0, 12);
      sequence.drop(3, 9);
      MemorySegment means = sequence.view().signal(Signal.KEY_MEAN, 0);
      for (int head = 0; head < TinyModel.KV_HEADS; head++) {
        double[] mean = new double[TinyModel.HEAD_DIM];
        for (int token : new int[] {0, 1, 2, 9, 10, 11}) {
          double[] key = naive.key(head, token);
          double norm = Math.sqrt(Arrays.stream(key).map(x -> x * x).sum());
          for (int dim = 0; dim < key.length; dim++) {
            mean[dim] += key[dim] / norm / 6;
          }
        }
        for (int dim = 0; dim < mean.length; dim++) {
          assertThat(at(means, (long) head * mean.length + dim)).isCloseTo(mean[dim], within(1e-3));
        }
      }
    }
  }

  @Test
  void aCellStartsAgainWithItsNextToken() {
    int[] tokens = new Random(5).ints(40, 3, 270).toArray();
    try (Sequence sequence = new Sequence()) {
      sequence.decode(tokens, 0, 20);
      sequence.drop(2, 18);
      for (int i = 20; i < 23; i++) {
        sequence.decode(tokens, i, i + 1);
      }
      CellView view = sequence.view();
      assertThat(view.length()).isEqualTo(7);
      assertThat(view.position()).isEqualTo(23);
      assertThat(view.cell(4)).as("a freed cell").isBetween(2, 17);
      MemorySegment rows = view.signal(Signal.WINDOW_ATTENTION, 1);
      for (int head = 0; head < TinyModel.QUERY_HEADS; head++) {
        for (int query = 0; query < WINDOW; query++) {
          double sum = 0;
          for (int token = 0; token < 7; token++) {
            double paid = at(rows, ((long) head * WINDOW + query) * 7 + token);
            int position = token < 4 ? 0 : 16 + token;
            if (position > 17 + query) {
              assertThat(paid).as("a later token").isZero();
            }
            sum += paid;
          }
          if (query >= 3) {
            assertThat(sum).isCloseTo(1, within(1e-5));
          }
        }
      }
    }
  }

  @Test
  void aTokenKeepsItsPositionAndTheStateThatThePolicyWrote() {
    int[] tokens = new Random(6).ints(30, 3, 270).toArray();
    try (Sequence sequence = new Sequence()) {
      sequence.decode(tokens, 0, 20);
      CellView view = sequence.view();
      MemorySegment state = view.signal(Signal.STATE, 1);
      for (int i = 0; i < TinyModel.KV_HEADS * 20; i++) {
        for (int place = 0; place < STATE_SIZE; place++) {
          assertThat(at(state, (long) i * STATE_SIZE + place)).isZero();
          state.setAtIndex(
              JAVA_FLOAT,
              (long) i * STATE_SIZE + place,
              (float) (1000 * place + 100 * (i / 20) + view.position(1, i / 20, i % 20) + 1));
        }
      }
      view.saveState();
      sequence.drop(2, 18);
      sequence.decode(tokens, 20, 22);

      CellView later = sequence.view();
      assertThat(later.length()).isEqualTo(6);
      for (int head = 0; head < TinyModel.KV_HEADS; head++) {
        for (int token = 0; token < 6; token++) {
          int position = token < 2 ? token : 16 + token;
          assertThat(later.position(1, head, token)).isEqualTo(position);
          for (int place = 0; place < STATE_SIZE; place++) {
            long index = (head * 6L + token) * STATE_SIZE + place;
            assertThat(at(later.signal(Signal.STATE, 1), index))
                .isEqualTo(position < 20 ? 1000 * place + 100 * head + position + 1 : 0);
            assertThat(at(later.signal(Signal.STATE, 0), index)).isZero();
          }
        }
      }
    }
  }

  @Test
  void refusesSignalsThatWereNotDeclared() {
    KvCells cells;
    try (Sequence sequence = new Sequence()) {
      sequence.decode(new int[] {5}, 0, 1);
      cells = sequence.context.cells();
      CellView view = new CellView(model.shape(), sequence.signals, Set.of(Signal.KEY_NORM));
      view.show(cells, 1);
      assertThat(view.signal(Signal.KEY_NORM, 0).byteSize()).isEqualTo(8);
      assertThatThrownBy(() -> view.signal(Signal.KEYS, 0))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("KEYS");
    }
  }

  @Test
  void saysThatTheHeapIsTooSmall() {
    ModelShape large = new ModelShape("llama", 80, 64, 8, 128, 131_072, 128_256);
    assertThatThrownBy(() -> new CellSignals(large, 131_072, Set.of(Signal.KEYS), 1, 1))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("-Xmx");
  }

  @Test
  void refusesAPolicyThatWantsWhatIsNotGathered() {
    ModelShape shape = new ModelShape("llama", 2, 4, 2, 8, 64, 100);
    TokenPolicy expecting =
        new Unscored(
            Set.of(Signal.KEYS, Signal.QUERY_MEAN), Granularity.KV_HEAD, Trigger.AFTER_PREFILL);

    assertThatThrownBy(() -> CellSignals.of(shape, 64, expecting))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("QUERY_MEAN");
  }

  private static double at(MemorySegment floats, long index) {
    return floats.getAtIndex(JAVA_FLOAT, index);
  }

  private record Unscored(Set<Signal> signals, Granularity granularity, Trigger trigger)
      implements TokenPolicy {
    @Override
    public void score(TokenView view, int layer, float[] out) {
      Arrays.fill(out, 0);
    }
  }

  /** A context with all signals. */
  private final class Sequence implements AutoCloseable {

    final CellSignals signals = new CellSignals(model.shape(), 64, ALL, WINDOW, STATE_SIZE);
    final LlamaContext context = new LlamaContext(model, new ContextOptions(64, 64, 1, 1, signals));
    private int position;

    void decode(int[] tokens, int from, int to) {
      assertThat(context.decode(0, Arrays.copyOfRange(tokens, from, to), from)).isTrue();
      signals.stored(context.cells(), from, to - from);
      position = to;
    }

    void drop(int from, int to) {
      KvCells cells = context.cells();
      for (int cell = 0; cell < cells.count(); cell++) {
        if (cells.position(cell) >= from && cells.position(cell) < to) {
          signals.forget(cell);
        }
      }
      context.remove(0, from, to);
    }

    CellView view() {
      CellView view = new CellView(model.shape(), signals, ALL);
      view.show(context.cells(), position);
      return view;
    }

    @Override
    public void close() {
      context.close();
    }
  }
}
